/** Where a socket is, as seen by its program: its name means nothing to other programs. */
import type { SocketSystem } from "../../tree/socket_owner.ts";
import type { ListeningSocket } from "../../../system/unix_sockets.ts";

/** Names that mean different files for each program. */
const OWN = /^\/(?:proc\/(?:thread-)?self|dev(?=\/fd\/))\/(.*)$/s;

/** Whether the name means different files for each program. */
export function isOwnName(name: string): boolean {
  return OWN.test(name);
}

/**
 * The name as any program can use it, once for each that holds the socket: from its working directory, or by its
 * descriptors. Both follow a directory that is moved. Empty: the name is the same for all.
 */
export function namesByHolders(
  { name, socket }: Pick<ListeningSocket, "name" | "socket">,
  system: Pick<SocketSystem, "processes" | "socketsOf">,
): readonly string[] {
  const own = OWN.exec(name)?.[1];
  if (name === "" || name.startsWith("/") && own === undefined) return [];
  return system.processes().filter((pid) => system.socketsOf(pid).includes(socket))
    .map((pid) => `/proc/${pid}/${own ?? `cwd/${name}`}`);
}
