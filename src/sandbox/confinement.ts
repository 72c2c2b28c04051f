/** What commands may do besides files, as plain data: network, sockets, system calls, resources (S6, S8, S10). */

/** Where commands may connect, widest first. */
export const NETWORKS = ["full", "localhost", "none"] as const;
export type Network = typeof NETWORKS[number];

/** Whether commands may make Unix sockets (pairs that are born connected they always may), widest first. */
export const UNIX_SOCKETS = ["allow", "deny"] as const;
export type UnixSockets = typeof UNIX_SOCKETS[number];

/** Limits of one command's processes; undefined: none of ours. */
export interface ResourceLimits {
  /** Bytes of one file. */
  readonly fileSize: number | undefined;
  /** Processes and threads at once. */
  readonly processes: number | undefined;
  /** Descriptors of one process. */
  readonly openFiles: number | undefined;
  /** Bytes of private memory of one process that it may write to. */
  readonly memory: number | undefined;
  /** Seconds of processor time of one process. */
  readonly cpuSeconds: number | undefined;
}

/** What a person chose. */
export interface ConfinementChoice {
  readonly network: Network;
  readonly unixSockets: UnixSockets;
  readonly limits: ResourceLimits;
}

/** The choice on this machine. */
export interface Confinement extends ConfinementChoice {
  /** Commands have a network of their own: nothing in it (`none`), or a private loopback (`localhost`). */
  readonly ownNetwork: boolean;
  /** System calls are filtered. */
  readonly filter: boolean;
  /** The kernel counts processes by PID namespace (Linux 6.14), root's too. */
  readonly countedByNamespace: boolean;
  /** The hard limits of the server itself, which only a privileged process may exceed; absent: unlimited. */
  readonly ceilings: Readonly<
    Partial<Record<"fileSize" | "processes" | "openFiles" | "memory" | "cpuSeconds", number>>
  >;
  /** Processes and threads of the whole machine when the session began: what an ordinary user may have at most. */
  readonly tasksAtStart: number;
}
