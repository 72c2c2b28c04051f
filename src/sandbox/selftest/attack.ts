/** What an attack of the self-test is: a few system calls, the last of which must fail inside the sandbox (S3). */
import { type Processor, SYSTEM_CALLS } from "../../system/syscalls.ts";
import type { Table, TableWord } from "../launcher/image/table.ts";
import type { Draft } from "../launcher/steps/identity_steps.ts";
import type { SandboxPolicy } from "../policy/policy.ts";

/** What stops an attack. */
const DEFENCES = [
  /** Landlock's rules on files, and its rule that a domain may not trace what is outside. */
  "landlock",
  /** Landlock's right to truncate (ABI 3), or the read-only mounts. */
  "truncation",
  /** Landlock's scope of signals (ABI 6), or an own PID namespace. */
  "scoping",
  /** Landlock's scope of abstract sockets (ABI 6), an own network, or a filter that leaves no sockets. */
  "abstract",
  /** The read-only mounts, in a mount namespace. */
  "mounts",
  /** A private root, in which nothing else exists. */
  "root",
  /** An own PID namespace. */
  "processes",
  /** Root's capabilities taken away. An ordinary user has none to lose. */
  "capabilities",
  /** A filter of system calls. */
  "seccomp",
  /** Connections to sockets by path denied: by Landlock (ABI 9), or by a filter that leaves no sockets. */
  "unix",
] as const;
export type Defence = typeof DEFENCES[number];

/** Where one run attacks. All paths absolute and canonical. */
export interface AttackPlace {
  /** A directory outside every writable tree; holds a target by the name of each attack that has one. */
  readonly outside: string;
  /** A directory that commands may write to. */
  readonly inside: string;
  /** A listening socket of a process outside, as `struct sockaddr_un` has it: by name, and by path. */
  readonly abstractSocket: string;
  readonly pathSocket: string;
  readonly server: number;
}

/** A table in the making and what attacks need to write into it. */
export interface AttackDraft extends Draft {
  readonly place: AttackPlace;
  /** `outside` and the attack's own name. */
  readonly target: string;
}

export interface Attack {
  /** A word for programs, and the name of its target. */
  readonly id: string;
  /** What it does, for people. */
  readonly title: string;
  /** What is made for it to attack; absent: nothing. */
  readonly target?: "file" | "directory";
  /** Any one of these is enough. Where a session has none of them, the attack is known to succeed. */
  readonly stoppedBy: readonly Defence[];
  /** Rights which, granted on the target, make it no attack at all (`--read`). */
  readonly rights?: number;
  /** It is about the process id of the server, which inside may be that of another process. */
  readonly byProcessId?: true;
  /** Adds the calls, all of them `soft`; gives the entry whose success is the attack's. */
  readonly add: (draft: AttackDraft) => number;
}

/** The defences of a session. `table`: its very table of system calls. */
export function defencesOf(policy: SandboxPolicy, table: Table, processor: Processor): ReadonlySet<Defence> {
  const present: Defence[] = ["landlock"];
  if (policy.user.uid === 0) present.push("capabilities");
  if (policy.namespaces) present.push("mounts", "processes");
  if (policy.root !== undefined) present.push("root");
  if (policy.namespaces || policy.abi >= 3) present.push("truncation");
  if (policy.namespaces || policy.abi >= 6) present.push("scoping");
  if (policy.abi >= 6) present.push("abstract");
  if (policy.abi >= 9) present.push("unix");
  const { seccomp, prctl } = SYSTEM_CALLS[processor];
  const filters = table.entries.some(({ number, args, mode }) =>
    mode === "fatal" && (number === seccomp || number === prctl && args[0] === PR_SET_SECCOMP)
  );
  if (filters) present.push("seccomp");
  const { unixSockets, ownNetwork } = policy.confinement;
  if (filters && unixSockets === "deny" || unixSockets === "private") present.push("unix");
  if (filters && unixSockets === "deny" || ownNetwork) present.push("abstract");
  return new Set(present);
}

const PR_SET_SECCOMP = 22;

/** Adds a call whose failure is what is hoped for; gives its index. */
export function attempt(
  { table }: Pick<AttackDraft, "table">,
  number: number,
  args: readonly TableWord[],
): number {
  return table.call("attack", number, args, { mode: "soft" });
}
