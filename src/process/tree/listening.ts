/** Which TCP ports the processes of a command listen at, as the kernel's tables tell (proc(5)). */
import type { SocketSystem } from "./socket_owner.ts";

export type Protocol = "tcp" | "udp";

/** What is needed of the system. */
export interface ListeningSystem extends Pick<SocketSystem, "socketsOf"> {
  /** The sockets of the network that a process is in, IPv4 and IPv6; empty: it is gone. */
  tablesOf(pid: number, protocol: Protocol): readonly string[];
}

const LISTENING = "0A";

/** Whether one of `pids`, which share the network of the first one alive, holds a socket that listens at `port`. */
export function listensAt(port: number, pids: readonly number[], system: ListeningSystem): boolean {
  return hasSocket(pids, system, "tcp", (row) => row.state === LISTENING && row.port === port);
}

/** Whether one of `pids` holds a socket with this port of its own. */
export function holdsPort(
  { protocol, port }: { readonly protocol: Protocol; readonly port: number },
  pids: readonly number[],
  system: ListeningSystem,
): boolean {
  return hasSocket(pids, system, protocol, (row) => row.port === port);
}

interface Row {
  /** The local port. */
  readonly port: number;
  readonly state: string;
  readonly inode: string;
}

function hasSocket(
  pids: readonly number[],
  system: ListeningSystem,
  protocol: Protocol,
  isMeant: (row: Row) => boolean,
): boolean {
  for (const pid of pids) {
    const tables = system.tablesOf(pid, protocol);
    if (tables.length === 0) continue;
    const inodes = new Set(tables.flatMap((table) => rowsOf(table).filter(isMeant).map(({ inode }) => inode)));
    return inodes.size > 0 && pids.some((one) => system.socketsOf(one).some((inode) => inodes.has(inode)));
  }
  return false;
}

/** Columns: number, local and remote address as HEX:PORT, state, queues, timer, retries, uid, timeout, inode. */
function rowsOf(table: string): readonly Row[] {
  return table.split("\n").slice(1).map((row) => {
    const [, from = "", , state = "", , , , , , inode = ""] = row.trim().split(/\s+/);
    return { port: parseInt(from.slice(from.lastIndexOf(":") + 1), 16), state, inode };
  });
}
