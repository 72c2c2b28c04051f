/** `ps` (V1): what all servers of this user run, once or as it changes. */
import { findServers } from "../../../control/client/running_servers.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { print, printProblem } from "../../terminal/print.ts";
import { operationsAsJson, tableFor } from "./ps_output.ts";
import { watchOperations } from "./ps_watch.ts";
import { openStreams } from "./your_servers.ts";

/** Resolves with the exit code; 1: a server did not answer. @throws {UserError} On a system without sockets. */
export async function ps(context: CommandContext): Promise<number> {
  const { flags, environment } = context;
  using streams = openStreams("list operations");
  if (flags.has("watch")) return await watchOperations(streams, context);
  const { servers, problems } = await findServers(streams, environment, { request: "list", usage: true });
  const listed = servers.map(({ server }) => server);
  await print(flags.has("json") ? operationsAsJson(listed) : tableFor(listed, environment));
  for (const problem of problems) await printProblem(problem);
  return problems.length > 0 ? 1 : 0;
}
