/**
 * All that a passed self-test depends on, as one line: boot, kernel, this process, this program, and the layers of the
 * policy. Whatever is not named here in part is in it whole, so that anything new counts as a difference.
 */
import { VERSION } from "../../base/version.ts";
import type { FileFacts, FileIdentity } from "../../system/libc.ts";
import type { SandboxPolicy } from "../policy/policy.ts";

/** Queries to the machine, which `Libc` answers. */
export interface ProofMachine {
  readProc(path: string): string | undefined;
  /** Links are followed. */
  identityOf(path: string): FileIdentity | undefined;
  /** Links are not followed. */
  lookAt(path: string): FileFacts | undefined;
}

/** What was proven. */
export interface ProofSubject {
  /** As the kernel took it, with every layer that was wanted. */
  readonly policy: SandboxPolicy;
  /** The launches have control groups. */
  readonly isGrouped: boolean;
  /** Files of the running program and its runtime, canonical; empty: they cannot be told from others. */
  readonly program: readonly string[];
}

const BOOT = "/proc/sys/kernel/random/boot_id";
const KERNEL = "/proc/sys/kernel/osrelease";
/** Not every kernel has all of them. */
const FACTS = [
  "/proc/sys/kernel/version",
  "/proc/sys/user/max_user_namespaces",
  "/proc/sys/user/max_mnt_namespaces",
  "/proc/sys/user/max_pid_namespaces",
  "/proc/sys/kernel/unprivileged_userns_clone",
  "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
  "/proc/self/attr/current",
] as const;
/** Where a container differs from its host, though both have one boot and one kernel. */
const NAMESPACES = ["cgroup", "ipc", "mnt", "net", "pid", "user", "uts"] as const;
const OWN_RIGHTS = /^(?:Uid|Gid|Groups|NoNewPrivs|Seccomp|Seccomp_filters|Cap\w+):.*$/gm;

/** Undefined: something of it is not known here, or the policy is one that is always tested first. */
export function proofText(
  { policy, isGrouped, program }: ProofSubject,
  machine: ProofMachine,
): string | undefined {
  const [boot, kernel] = [machine.readProc(BOOT), machine.readProc(KERNEL)];
  const rights = machine.readProc("/proc/self/status")?.match(OWN_RIGHTS);
  const files = program.map((path) => machine.lookAt(path));
  if (
    boot === undefined || kernel === undefined || rights === undefined || rights === null ||
    policy.confinement.network === "names"
  ) return;
  if (files.length === 0 || files.includes(undefined)) return undefined;
  const facts = {
    version: VERSION,
    boot,
    kernel,
    facts: FACTS.map((path) => machine.readProc(path) ?? ""),
    rights,
    namespaces: NAMESPACES.map((kind) => machine.identityOf(`/proc/self/ns/${kind}`)),
    root: machine.identityOf("/"),
    program: program.map((path, index) => [path, ofFile(files[index])]),
    isGrouped,
    policy: shapeOf(policy),
  };
  return JSON.stringify(facts, (_name, value: unknown) => typeof value === "bigint" ? String(value) : value);
}

/** A file that is replaced or rewritten has another time of change, which programs cannot set. */
function ofFile(facts: FileFacts | undefined): unknown {
  return facts && [facts.device, facts.inode, facts.size, facts.changedAt];
}

/** The paths of one project and session go: they decide what a layer holds, not whether it does. */
function shapeOf(policy: SandboxPolicy): unknown {
  const { writable, grants, guarded: _guarded, previewed, temporary, root, confinement, ...whole } = policy;
  const { tasksAtStart: _tasks, ...held } = confinement;
  return {
    ...whole,
    confinement: held,
    fileSystems: [...new Set(writable.map(({ device }) => device))].sort(),
    rights: [...new Set(grants.map(({ kind, rights }) => `${kind} ${rights}`))].sort(),
    previewed: previewed !== undefined,
    temporary: temporary?.places,
    root: root && { devices: root.devices, hasFiles: root.instead !== undefined },
  };
}
