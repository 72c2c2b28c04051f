/** The servers of a person, for the subcommands that ask them (V1). */
import { UserError } from "../../../base/errors.ts";
import { findServers, type FoundServer, type FoundServers } from "../../../control/client/running_servers.ts";
import type { ListedOperation } from "../../../control/protocol/messages.ts";
import { UnixStreams } from "../../../system/sockets/unix_stream.ts";
import { chooseOperation, splitName } from "./choose_operation.ts";

/** Connections to servers. `what`: what cannot be done without, such as "list operations". @throws {UserError} */
export function openStreams(what: string): UnixStreams {
  if (Deno.build.os === "linux") return new UnixStreams();
  throw new UserError(`Cannot ${what} on this system: servers have sockets on Linux only`);
}

/** All servers of a person, and the connections to them. */
export interface YourServers extends FoundServers, Disposable {
  /** Undefined: servers have no sockets here. */
  readonly streams: UnixStreams | undefined;
}

/** None on systems where servers have no sockets, and without an environment. */
export async function yourServers(environment: Readonly<Record<string, string>> | undefined): Promise<YourServers> {
  const streams = Deno.build.os === "linux" && environment !== undefined ? new UnixStreams() : undefined;
  const found = streams && environment ? await findServers(streams, environment) : { servers: [], problems: [] };
  return { ...found, streams, [Symbol.dispose]: () => streams?.[Symbol.dispose]() };
}

/** An operation, and the server that has it. */
export interface FoundOperation {
  readonly found: FoundServer;
  readonly operation: ListedOperation;
}

/** The named operation. `what` cannot be done otherwise, such as "end". @throws {UserError} for none or several */
export async function findOperation(
  streams: UnixStreams,
  environment: Readonly<Record<string, string>>,
  { name, what }: { readonly name: string; readonly what: string },
): Promise<FoundOperation> {
  const { beginning } = splitName(name);
  const { servers, problems } = await findServers(streams, environment, { request: "list", beginning, usage: true });
  const chosen = chooseOperation(servers, name);
  if (chosen.ok) return chosen.value;
  // Other candidates are among all operations.
  const told = chooseOperation((await findServers(streams, environment)).servers, name);
  const others = problems.map((problem) => `\n${problem}`).join("");
  throw new UserError(`Cannot ${what} "${name}": ${told.ok ? chosen.problem : told.problem}${others}`);
}
