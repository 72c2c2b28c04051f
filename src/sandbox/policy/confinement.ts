/** What commands may do apart from files, as plain data: network, sockets, system calls, resources (S6, S8, S10). */

import type { NameList } from "../../base/network/name_list.ts";
import type { NetworkReach } from "../../base/network/network_bound.ts";

/** The words for where commands may connect, widest first. */
export const NETWORKS = ["full", "localhost", "none"] as const;
/** `names`: to the hosts of a list. */
export type Network = typeof NETWORKS[number] | "names";

/** Which Unix sockets commands may use, widest first: all, those that commands of the session make, none. */
export const UNIX_SOCKETS = ["allow", "private", "deny"] as const;
export type UnixSockets = typeof UNIX_SOCKETS[number];

/** Limits of one command's processes; undefined: no limit of this program. */
export interface ResourceLimits {
  /** Bytes of one file. */
  readonly fileSize: number | undefined;
  /** Processes and threads at once. */
  readonly processes: number | undefined;
  /** Descriptors of one process. */
  readonly openFiles: number | undefined;
  /** Bytes of memory that one process may write to; none that it shares with others. */
  readonly memory: number | undefined;
  /** Seconds of processor time of one process. */
  readonly cpuSeconds: number | undefined;
}

/** What a person chose. */
export interface ConfinementChoice {
  readonly network: Network;
  /** Hosts of the network `names` (S30), which commands of a session share; empty: another network, or no open host. */
  readonly names: NameList;
  /** Names of it whose addresses may be private or this machine's, in small letters. */
  readonly privateHosts: readonly string[];
  readonly unixSockets: UnixSockets;
  /** A person may allow hosts beyond the list (S35), on usual ports; absent: none is asked. */
  readonly asks?: true;
  /** Commands of a session have one loopback (S34), in the network `localhost`; absent: each has its own. */
  readonly sharesLoopback?: true;
  readonly limits: ResourceLimits;
  /** What must be enforced for the whole tree of a command, or nothing starts; absent: nothing. */
  readonly totals?: TotalLimits;
}

/** Limits of all processes of a command together; absent: none was chosen. */
export interface TotalLimits {
  /** Bytes. */
  readonly memory?: number;
  /** Processes and threads at once; then also `processes` of the limits. */
  readonly tasks?: number;
}

/** Defaults. */
export const DEFAULT_CONFINEMENT: ConfinementChoice = {
  network: "full",
  names: [],
  privateHosts: [],
  unixSockets: "private",
  limits: {
    fileSize: 16 * 1024 ** 3,
    processes: 2048,
    openFiles: 65_536,
    memory: undefined,
    cpuSeconds: undefined,
  },
};

/** The choice on this machine. */
export interface Confinement extends ConfinementChoice {
  /** Commands have a network of their own: nothing in it (`none`), a private loopback (`localhost`), or the relay too (`names`). */
  readonly ownNetwork: boolean;
  /** What a tool file narrows the network to (S43); absent: none does. */
  readonly boundBy?: NetworkReach;
  /** System calls are filtered. */
  readonly filter: boolean;
  /** The kernel counts processes by PID namespace (Linux 6.14), root's too. */
  readonly countedByNamespace: boolean;
  /** The hard limits of the server itself, which only a privileged process may exceed; absent: unlimited. */
  readonly ceilings: Readonly<Partial<Record<keyof ResourceLimits | "stack", number>>>;
  /** Bytes that a stack may have before its process asks for more; absent: unlimited. */
  readonly stack?: number;
  /** Processes and threads of the whole machine when the session began: what an ordinary user may have at most. */
  readonly tasksAtStart: number;
}

/** Queries to the machine, which `Libc` answers. */
export interface Machine {
  filtersCalls(): boolean;
  /** The text of a file of /proc; undefined when there is none. */
  readProc(path: string): string | undefined;
  /** The limits of the server itself for a resource of `RESOURCE`; undefined: none. */
  limitOf(resource: number): { readonly soft: number | undefined; readonly hard: number | undefined };
}

/** RLIMIT_*, by number (asm-generic/resource.h, the same on both processors). */
export const RESOURCE: Readonly<Record<keyof ResourceLimits | "stack" | "core", number>> = {
  cpuSeconds: 0,
  fileSize: 1,
  memory: 2,
  stack: 3,
  core: 4,
  processes: 6,
  openFiles: 7,
};

/** Pids were counted by namespace from this version on. Before it, the same file is the whole machine's. */
const COUNTED_SINCE = [6, 14] as const;

/** The choice as far as this machine supports it; namespaces are settled later, by trying. */
export function confinementHere(choice: ConfinementChoice, machine: Machine): Confinement {
  const release = machine.readProc("/proc/sys/kernel/osrelease") ?? "";
  const { soft: stack } = machine.limitOf(RESOURCE.stack);
  return {
    ...choice,
    ownNetwork: choice.network !== "full",
    filter: machine.filtersCalls(),
    countedByNamespace: isSince(release, COUNTED_SINCE),
    ceilings: hardLimits(machine),
    ...stack !== undefined && { stack },
    tasksAtStart: Number(/\/(\d+) /.exec(machine.readProc("/proc/loadavg") ?? "")?.[1] ?? 0),
  };
}

/** Without a network namespace a command has the machine's network or none: a private loopback becomes none. */
export function withoutOwnNetwork(confinement: Confinement): Confinement {
  return {
    ...confinement,
    ownNetwork: false,
    network: confinement.network === "localhost" ? "none" : confinement.network,
  };
}

/** Where sockets of other programs cannot be kept out of reach, commands have none: private becomes deny. */
export function withoutPrivateSockets(confinement: Confinement): Confinement {
  return confinement.unixSockets === "private" ? { ...confinement, unixSockets: "deny" } : confinement;
}

/** Whether a process is kept from memory that its limit would not count. */
export function boundsMemory({ limits }: Pick<Confinement, "limits">): boolean {
  return limits.memory !== undefined;
}

/** Whether nothing enforces the chosen network. */
export function isNetworkOpen({ network, ownNetwork, filter }: Confinement): boolean {
  return network !== "full" && !ownNetwork && !filter;
}

function isSince(release: string, [major, minor]: readonly [number, number]): boolean {
  const [, first, second] = /^(\d+)\.(\d+)/.exec(release) ?? [];
  return Number(first) > major || Number(first) === major && Number(second) >= minor;
}

/** Asks the kernel itself: a server inside another sandbox, even one of this program, has no /proc of processes. */
function hardLimits(machine: Pick<Machine, "limitOf">): Confinement["ceilings"] {
  return Object.fromEntries(
    CAPPED.flatMap((name) => {
      const { hard } = machine.limitOf(RESOURCE[name]);
      return hard === undefined ? [] : [[name, hard]];
    }),
  );
}

const CAPPED = ["cpuSeconds", "fileSize", "memory", "stack", "processes", "openFiles"] as const;
