/**
 * Finds who holds the other end of a local TCP connection (S6), by the kernel's tables: a command of ours must not
 * begin a session with a wider scope.
 */
import { lazy } from "../../base/lazy.ts";
import type { Libc } from "../../system/libc.ts";

/** The system calls that this needs. */
export interface SocketSystem {
  /** The texts of `/proc/net/tcp` and `/proc/net/tcp6`. */
  readonly tables: () => readonly string[];
  readonly processes: () => readonly number[];
  /** Inode numbers; empty when the process may not be inspected. */
  readonly socketsOf: (pid: number) => readonly string[];
  /** Undefined: the process is gone. */
  readonly parentOf: (pid: number) => number | undefined;
}

export interface LocalConnection {
  readonly peerPort: number;
  readonly ownPort: number;
}

/** A process with more ancestors is in a cycle of reused ids. */
const MOST_ANCESTORS = 1000;

/** Who holds the other end of a connection. */
export type SocketHolder =
  /** The server, or a process below it. */
  | "ours"
  /** Only processes that are not below the server. */
  | "others"
  /** Unknown: not a socket of this machine, or one that no process seems to hold. */
  | "unknown";

/**
 * Who holds the other end: of several local addresses with the port, every socket counts. One on its way, or of a
 * thread alone, has no visible holder; the user id tells those of other users.
 */
export function holderOf(
  connection: LocalConnection,
  { server, uid }: { readonly server: number; readonly uid: number },
  system: SocketSystem,
): SocketHolder {
  const ends = system.tables().flatMap((table) => peersIn(table, connection));
  if (ends.length === 0 || ends.some(({ inode }) => inode === NO_INODE)) return "unknown";
  if (ends.every((end) => end.uid !== uid) && uid !== ROOT) return "others";
  const found = new Set<string>();
  for (const pid of system.processes()) {
    const held = system.socketsOf(pid).filter((inode) => ends.some((end) => end.inode === inode));
    if (held.length > 0 && isBelow(pid, server, system)) return "ours";
    for (const inode of held) found.add(inode);
  }
  return ends.every(({ inode }) => found.has(inode)) ? "others" : "unknown";
}

/** Whether the server, or a process below it, holds the socket of that inode number. */
export function isHeldBelow(
  inode: string,
  server: number,
  system: Pick<SocketSystem, "processes" | "socketsOf" | "parentOf">,
): boolean {
  return system.processes().some((pid) => system.socketsOf(pid).includes(inode) && isBelow(pid, server, system));
}

/** The same system at one moment: it looks into each process at most once, however many sockets are asked for. */
export function lookedAtOnce<System extends Pick<SocketSystem, "processes" | "socketsOf">>(system: System): System {
  const seen = new Map<number, readonly string[]>();
  return {
    ...system,
    processes: lazy(() => system.processes()),
    socketsOf: (pid) => seen.getOrInsertComputed(pid, () => system.socketsOf(pid)),
  };
}

const ROOT = 0;
/** Of a socket that its process has closed. */
const NO_INODE = "0";

/** The processes of this system. */
export function systemSockets(libc: Libc): SocketSystem {
  return {
    tables: () =>
      ["/proc/self/net/tcp", "/proc/self/net/tcp6"].map((path) => libc.readProc(path, { whole: true }) ?? ""),
    processes: () => libc.processes(),
    socketsOf: (pid) => libc.socketsOf(pid),
    parentOf(pid) {
      const stat = libc.readProc(`/proc/${pid}/stat`);
      // The name of the program stands in parentheses and may hold anything.
      return stat === undefined ? undefined : Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    },
  };
}

/** Rows of a table (proc(5)): number, local and remote address as HEX:PORT, state, queues, timer, retries, uid, timeout, inode. */
function peersIn(
  table: string,
  { peerPort, ownPort }: LocalConnection,
): readonly { readonly inode: string; readonly uid: number }[] {
  const [local, remote] = [peerPort, ownPort].map((port) => `:${port.toString(16).toUpperCase().padStart(4, "0")}`);
  return table.split("\n").map((row) => row.trim().split(/\s+/)).flatMap((fields) => {
    const [, from = "", to = "", , , , , uid = "", , inode = ""] = fields;
    return from.endsWith(local ?? "-") && to.endsWith(remote ?? "-") ? [{ inode, uid: Number(uid) }] : [];
  });
}

/** A process that ends while it is inspected may belong to any user: it counts as below. An orphan in a container is below its first process too. */
function isBelow(pid: number, server: number, system: Pick<SocketSystem, "parentOf">): boolean {
  let one = pid;
  for (let steps = 0; steps < MOST_ANCESTORS; steps++) {
    if (one === server) return true;
    if (one <= 1) return false;
    const parent = system.parentOf(one);
    if (parent === undefined) return true;
    one = parent;
  }
  return false;
}
