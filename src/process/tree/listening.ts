/** Which TCP ports the processes of a command listen at, as the kernel's tables tell (proc(5)). */
import type { SocketSystem } from "./socket_owner.ts";

/** What is needed of the system. */
export interface ListeningSystem extends Pick<SocketSystem, "socketsOf"> {
  /** The TCP sockets of the network that a process is in, IPv4 and IPv6; empty: it is gone. */
  tablesOf(pid: number): readonly string[];
}

const LISTENING = "0A";

/**
 * Whether one of `pids` holds a socket that listens at `port`. Others on the machine do not count, whatever the network.
 * All are in the network of the first one that is alive.
 */
export function listensAt(port: number, pids: readonly number[], system: ListeningSystem): boolean {
  for (const pid of pids) {
    const tables = system.tablesOf(pid);
    if (tables.length === 0) continue;
    const inodes = new Set(tables.flatMap((table) => listenersIn(table, port)));
    return inodes.size > 0 && pids.some((one) => system.socketsOf(one).some((inode) => inodes.has(inode)));
  }
  return false;
}

/** Inode numbers. Columns: number, local and remote address as HEX:PORT, state, queues, timer, retries, uid, timeout, inode. */
function listenersIn(table: string, port: number): readonly string[] {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return table.split("\n").flatMap((row) => {
    const [, from = "", , state, , , , , , inode = ""] = row.trim().split(/\s+/);
    return state === LISTENING && from.endsWith(local) ? [inode] : [];
  });
}
