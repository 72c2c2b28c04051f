/**
 * Who is at the other end of a local TCP connection (S6): one of our own commands must not begin a session with a wider
 * scope than it has. The kernel's tables lead from the connection to a socket, and from the socket to the processes that
 * hold it; a connection counts as somebody else's only when its holders are found and none of them is below this server.
 */
import type { Libc } from "../sandbox/libc.ts";

/** What is asked of the system. */
export interface SocketSystem {
  /** The texts of `/proc/net/tcp` and `/proc/net/tcp6`. */
  readonly tables: () => readonly string[];
  readonly processes: () => readonly number[];
  /** Inode numbers; empty when the process may not be looked at. */
  readonly socketsOf: (pid: number) => readonly string[];
  /** Undefined: the process is gone. */
  readonly parentOf: (pid: number) => number | undefined;
}

export interface LocalConnection {
  readonly peerPort: number;
  readonly ownPort: number;
}

/** Whoever has more ancestors is lost in a circle of reused ids. */
const MOST_ANCESTORS = 1000;

/**
 * Whether only processes that are not below `server` (and not it) hold the other end. What cannot be told is no.
 * Processes of other users cannot be looked at: their connections are told by the user id in the kernel's table.
 */
export function isSomebodyElses(
  connection: LocalConnection,
  { server, uid }: { readonly server: number; readonly uid: number },
  system: SocketSystem,
): boolean {
  const ends = system.tables().flatMap((table) => peersIn(table, connection));
  if (ends.length === 0) return false;
  if (ends.every((end) => end.uid !== uid) && uid !== ROOT) return true;
  const inodes = new Set(ends.map(({ inode }) => inode));
  const holders = system.processes().filter((pid) => system.socketsOf(pid).some((inode) => inodes.has(inode)));
  return holders.length > 0 && holders.every((pid) => !isBelow(pid, server, system));
}

const ROOT = 0;

/** The processes of this system. */
export function systemSockets(libc: Libc): SocketSystem {
  return {
    tables: () => ["/proc/self/net/tcp", "/proc/self/net/tcp6"].map((path) => libc.readProcTable(path) ?? ""),
    processes: () => libc.processes(),
    socketsOf: (pid) => libc.socketsOf(pid),
    parentOf(pid) {
      const stat = libc.readProc(`/proc/${pid}/stat`);
      // The name of the program stands in parentheses and may hold anything.
      return stat === undefined ? undefined : Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    },
  };
}

interface SocketEnd {
  readonly inode: string;
  readonly uid: number;
}

/** Rows of a table (proc(5)): number, local and remote address as HEX:PORT, state, queues, timer, retries, uid, timeout, inode. */
function peersIn(table: string, { peerPort, ownPort }: LocalConnection): readonly SocketEnd[] {
  const [local, remote] = [peerPort, ownPort].map((port) => `:${port.toString(16).toUpperCase().padStart(4, "0")}`);
  return table.split("\n").map((row) => row.trim().split(/\s+/)).flatMap((fields) => {
    const [, from = "", to = "", , , , , uid = "", , inode = ""] = fields;
    return from.endsWith(local ?? "-") && to.endsWith(remote ?? "-") ? [{ inode, uid: Number(uid) }] : [];
  });
}

function isBelow(pid: number, server: number, system: SocketSystem): boolean {
  let one: number | undefined = pid;
  for (let steps = 0; steps < MOST_ANCESTORS && one !== undefined && one > 1; steps++) {
    if (one === server) return true;
    one = system.parentOf(one);
  }
  return false;
}
