/**
 * Rows about what the sandbox denies on this machine, one for each capability (S3), from facts that the kernel gave.
 * Pure. A new layer adds its facts and its rows here.
 */
import type { SandboxPolicy } from "../../../sandbox/policy/policy.ts";

/** Whether the sandbox denies the capability; `allowed`: the settings permit it. */
export type Enforcement = "enforced" | "partly" | "not here" | "allowed";

/** One capability of commands. */
export interface SandboxRow {
  /** Stable name for programs. */
  readonly id: string;
  readonly capability: string;
  readonly state: Enforcement;
  /** The layer that denies it, or why none does and what would. */
  readonly reason: string;
}

/** The facts that decide the rows. */
export interface SandboxFacts {
  /** The policy that the kernel accepts. */
  readonly policy: SandboxPolicy;
  /** Kernel settings that refuse namespaces, with their values; empty: none is known. */
  readonly namespaceSettings: readonly string[];
  /** Paths of credentials in trees that commands can reach. */
  readonly hidden: number;
  /** False: `--no-temp-files`. */
  readonly temporaryFiles: boolean;
}

/** All rows, in the order of the report. */
export function sandboxRows(facts: SandboxFacts): readonly SandboxRow[] {
  return [
    ...fileRows(facts),
    ...guardRows(facts),
    ...processRows(facts),
    ...confinementRows(facts),
    ...alwaysRows(facts),
  ];
}

/** Files, by Landlock's ABI (include/uapi/linux/landlock.h). */
function fileRows(facts: SandboxFacts): readonly SandboxRow[] {
  const { abi, namespaces } = facts.policy;
  return [
    row("read", "read what is not granted", "enforced", `Landlock ABI ${abi}`),
    abi >= 3
      ? row("write", "write outside", "enforced", `Landlock ABI ${abi}${namespaces ? ", read-only mounts" : ""}`)
      : namespaces
      ? row("write", "write outside", "enforced", "Landlock, and read-only mounts for what its ABI lacks")
      : row(
        "write",
        "write outside",
        "partly",
        `files can be truncated: Landlock ABI ${abi}, ABI 3 (Linux 6.2) closes it`,
      ),
    abi >= 2
      ? row("move", "move into or out of a tree", "enforced", `Landlock ABI ${abi}`)
      : row("move", "move into or out of a tree", "enforced", "all moves between directories are denied (ABI 1)"),
    abi >= 5
      ? row("devices", "control devices (ioctl)", "enforced", `Landlock ABI ${abi}`)
      : row("devices", "control devices (ioctl)", "not here", "needs Landlock ABI 5 (Linux 6.10)"),
    byNamespaces(facts, "metadata", "change modes, owners, times outside", "read-only mounts"),
    row("names", "see names and sizes outside (stat)", "not here", "no kernel layer of a single user denies it"),
  ];
}

function guardRows(facts: SandboxFacts): readonly SandboxRow[] {
  const { hidden, policy: { namespaces } } = facts;
  const secrets = hidden === 0 ? "none lies in a tree that commands reach" : "covered by mounts";
  return [
    namespaces
      ? row("protected", "change protected paths that exist", "enforced", "read-only mounts")
      : row("protected", "change protected paths that exist", "partly", `told with the result; ${refused(facts)}`),
    row(
      "new_protected",
      "make protected paths that do not exist",
      "partly",
      "told with the result: no kernel denies names",
    ),
    row("credentials", "read credentials in a granted tree", "enforced", secrets),
  ];
}

function processRows(facts: SandboxFacts): readonly SandboxRow[] {
  const { abi, namespaces } = facts.policy;
  const signals = abi >= 6 ? `Landlock ABI ${abi}` : "PID namespace";
  return [
    abi >= 6 || namespaces
      ? row("signals", "signal other processes", "enforced", signals)
      : row("signals", "signal other processes", "not here", "needs Landlock ABI 6 (Linux 6.12) or namespaces"),
    abi >= 6
      ? row("abstract_sockets", "connect to abstract Unix sockets", "enforced", `Landlock ABI ${abi}`)
      : row("abstract_sockets", "connect to abstract Unix sockets", "not here", "needs Landlock ABI 6 (Linux 6.12)"),
    row("ptrace", "trace or read other processes", "enforced", "a Landlock domain for each command"),
    byNamespaces(facts, "processes", "see other processes", "PID namespace, own /proc", "enforced"),
    namespaces
      ? row("leftovers", "outlive the call", "enforced", "PID namespace: all processes end with the first")
      : row(
        "leftovers",
        "outlive the call",
        "partly",
        "ended with the call, but not when the server is killed by SIGKILL",
      ),
    facts.policy.namespaces && facts.policy.sharedIpc === true
      ? row("shared_memory", "share memory with other programs", "partly", "own /dev/shm; no IPC namespaces here")
      : byNamespaces(facts, "shared_memory", "share memory with other programs", "IPC namespace, own /dev/shm"),
  ];
}

/** Network, sockets, system calls, resources. */
function confinementRows({ policy }: SandboxFacts): readonly SandboxRow[] {
  const { network, ownNetwork, filter, unixSockets, limits, countedByNamespace } = policy.confinement;
  const counted = policy.user.uid !== 0 || countedByNamespace || limits.processes === undefined;
  return [
    filter
      ? row("system_calls", "use dangerous system calls", "enforced", "seccomp")
      : row("system_calls", "use dangerous system calls", "not here", "seccomp is refused"),
    network === "full"
      ? row("network", "reach the network", "allowed", "--network localhost or none closes it")
      : row("network", "reach the network", "enforced", ownNetwork ? "network namespace" : "seccomp"),
    unixSockets === "allow"
      ? row("unix_sockets", "connect to Unix sockets", "allowed", "--unix-sockets allow")
      : filter
      ? row("unix_sockets", "connect to Unix sockets", "enforced", "seccomp")
      : row("unix_sockets", "connect to Unix sockets", "not here", "seccomp is refused"),
    counted ? row("resources", "use up the machine", "enforced", "limits of each command (--limit-*)") : row(
      "resources",
      "use up the machine",
      "partly",
      "root's processes are counted since Linux 6.14, in namespaces",
    ),
  ];
}

function alwaysRows({ policy, temporaryFiles }: SandboxFacts): readonly SandboxRow[] {
  const kept = policy.keptCapabilities.length;
  return [
    kept === 0
      ? row("capabilities", "use capabilities", "enforced", "all dropped and locked")
      : row("capabilities", "use capabilities", "partly", `${kept} kept for files of another user in the scope`),
    row("privileges", "gain privileges by setuid programs", "enforced", "NoNewPrivs"),
    row("descriptors", "use the server's open files", "enforced", "closed in the launcher"),
    row("environment", "read the server's environment", "enforced", "built from an allow list"),
    row("temp", "share temporary files", "enforced", temporaryFiles ? "a private TMPDIR" : "none are given"),
  ];
}

function byNamespaces(
  facts: SandboxFacts,
  id: string,
  capability: string,
  means: string,
  without: Enforcement = "not here",
): SandboxRow {
  if (facts.policy.namespaces) return row(id, capability, "enforced", means);
  return row(id, capability, without, without === "enforced" ? "no /proc of processes is granted" : refused(facts));
}

/** Why the kernel gives no namespaces. */
function refused({ namespaceSettings }: SandboxFacts): string {
  return namespaceSettings.length === 0
    ? "namespaces are refused: by a container's seccomp profile, or a capability is missing"
    : `namespaces are refused: ${namespaceSettings.join(", ")}`;
}

function row(id: string, capability: string, state: Enforcement, reason: string): SandboxRow {
  return { id, capability, state, reason };
}
