/** `attach` (X24): a person's terminal, or a pipe, is joined to a running operation of any server of that user. */
import { UsageError, UserError } from "../../../base/errors.ts";
import { connectTo, findServers, tokenOf } from "../../../control/client/running_servers.ts";
import { ServerLine } from "../../../control/client/server_line.ts";
import { UnixStreams } from "../../../system/sockets/unix_stream.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { AttachedTerminal, windowSize } from "./attached_terminal.ts";
import { chooseTarget, whatRuns } from "./choose_target.ts";

/**
 * Resolves with the exit code when the operation has ended or the person has detached.
 * @throws {UserError} When there is nothing to attach to.
 */
export async function attach({ operands, environment, stop }: CommandContext): Promise<number> {
  if (Deno.build.os !== "linux") {
    throw new UserError("Cannot attach on this system: servers have sockets on Linux only");
  }
  using streams = new UnixStreams();
  const { servers, problems } = await findServers(streams, environment);
  const [name] = operands;
  const others = problems.map((problem) => `\n${problem}`).join("");
  if (name === undefined) {
    throw new UsageError(`Cannot attach: name an operation or a session. ${whatRuns(servers)}${others}`);
  }
  const refuse = (why: string) => new UserError(`Cannot attach to "${name}": ${why}${others}`);
  const chosen = chooseTarget(servers, name);
  if (!chosen.ok) throw refuse(chosen.problem);
  const { entry } = chosen.value;
  const stream = await connectTo(streams, entry);
  if (stream === undefined) throw refuse("its server has ended just now");
  using line = new ServerLine(stream);
  using terminal = new AttachedTerminal(line, { name, stop });
  const size = terminal.isInteractive ? windowSize() : undefined;
  await line.request(await tokenOf(entry), { request: "attach", target: name, ...size !== undefined && { size } });
  return await terminal.show(refuse);
}
