/** Rows about what the sandbox denies here, one for each capability (S3), from facts of the kernel. Pure. */
import type { UnixSockets } from "../../../sandbox/policy/confinement.ts";
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
  const landlock = on(`Landlock ABI ${abi}`);
  const truncated = partly(`files can be truncated: Landlock ABI ${abi}, ABI 3 (Linux 6.2) closes it`);
  const mounted = on("Landlock, and read-only mounts for what its ABI lacks");
  const written = namespaces ? on(`Landlock ABI ${abi}, read-only mounts`) : landlock;
  return [
    row("read", "read what is not granted", landlock),
    row("write", "write outside", abi >= 3 ? written : namespaces ? mounted : truncated),
    row(
      "move",
      "move into or out of a tree",
      abi >= 2 ? landlock : on("all moves between directories are denied (ABI 1)"),
    ),
    row("devices", "control devices (ioctl)", abi >= 5 ? landlock : absent("needs Landlock ABI 5 (Linux 6.10)")),
    row("metadata", "change modes, owners, times outside", byNamespaces(facts, "read-only mounts")),
    row("names", "see names and sizes outside (stat)", namesRow(facts)),
  ];
}

function namesRow(facts: SandboxFacts): Held {
  const { namespaces, root } = facts.policy;
  if (root !== undefined) return on("its own root");
  return absent(namespaces ? "its own root cannot be mounted, or a grant opens the machine's" : refused(facts));
}

function guardRows(facts: SandboxFacts): readonly SandboxRow[] {
  const { hidden, policy: { namespaces } } = facts;
  const secrets = hidden === 0 ? "none lies in a tree that commands reach" : "covered by mounts";
  const told = partly(`reported with the result; ${refused(facts)}`);
  const made = partly("reported with the result: no kernel denies names");
  return [
    row("protected", "change protected paths that exist", namespaces ? on("read-only mounts") : told),
    row("new_protected", "create protected paths that do not exist", made),
    row("credentials", "read credentials in a granted tree", on(secrets)),
  ];
}

function processRows(facts: SandboxFacts): readonly SandboxRow[] {
  const { abi, namespaces, sharedIpc } = facts.policy;
  const scoped = on(`Landlock ABI ${abi}`);
  const unscoped = "needs Landlock ABI 6 (Linux 6.12)";
  const signals = namespaces ? on("PID namespace") : absent(`${unscoped} or namespaces`);
  const processes = namespaces ? "PID namespace, own /proc" : "no /proc of processes is granted";
  const left = partly("ended with the call, but not when the server is killed by SIGKILL");
  const memory = namespaces && sharedIpc === true
    ? partly("own /dev/shm; no IPC namespaces here")
    : byNamespaces(facts, "IPC namespace, own /dev/shm");
  return [
    row("signals", "signal other processes", abi >= 6 ? scoped : signals),
    row("abstract_sockets", "connect to abstract Unix sockets", abi >= 6 ? scoped : absent(unscoped)),
    row("ptrace", "trace or read other processes", on("a Landlock domain for each command")),
    row("processes", "see other processes", on(processes)),
    row("leftovers", "outlive the call", namespaces ? on("PID namespace: all processes end with the first") : left),
    row("shared_memory", "share memory with other programs", memory),
  ];
}

/** Network, sockets, system calls, resources. */
function confinementRows({ policy }: SandboxFacts): readonly SandboxRow[] {
  const { network, ownNetwork, filter, unixSockets, limits, countedByNamespace } = policy.confinement;
  const counted = policy.user.uid !== 0 || countedByNamespace || limits.processes === undefined;
  const filtered = filter ? on("seccomp") : absent("seccomp is refused");
  const reached = network === "full"
    ? allowed("--network packages,git-hosts narrows it, none closes it")
    : network === "names"
    ? on("network namespace; the server checks each connection to a listed host")
    : on(ownNetwork ? "network namespace" : "seccomp");
  const uncounted = partly("root's processes are counted since Linux 6.14, in namespaces");
  return [
    row("system_calls", "use dangerous system calls", filtered),
    row("network", "reach the network", reached),
    row("unix_sockets", "connect to Unix sockets of other programs", UNIX_SOCKETS[unixSockets] ?? filtered),
    row("resources", "use up the machine", counted ? on("limits of each command (--limit-*)") : uncounted),
  ];
}

const UNIX_SOCKETS: Readonly<Partial<Record<UnixSockets, Held>>> = {
  allow: allowed("--unix-sockets allow"),
  private: on("its own root; what listens in granted trees is covered"),
};

function alwaysRows({ policy, temporaryFiles }: SandboxFacts): readonly SandboxRow[] {
  const kept = policy.keptCapabilities.length;
  const dropped = kept === 0
    ? on("all dropped and locked")
    : partly(`${kept} kept for files of another user in the scope`);
  return [
    row("capabilities", "use capabilities", dropped),
    row("privileges", "gain privileges by setuid programs", on("NoNewPrivs")),
    row("descriptors", "use the server's open files", on("closed in the launcher")),
    row("environment", "read the server's environment", on("built from an allow list")),
    row("temp", "share temporary files", on(temporaryFiles ? "a private TMPDIR" : "none are given")),
  ];
}

type Held = Pick<SandboxRow, "state" | "reason">;

function byNamespaces(facts: SandboxFacts, means: string): Held {
  return facts.policy.namespaces ? on(means) : absent(refused(facts));
}

/** Why the kernel gives no namespaces. */
function refused({ namespaceSettings }: SandboxFacts): string {
  return namespaceSettings.length === 0
    ? "namespaces are refused: by another sandbox (also one of this program), by a container's seccomp profile, or because a capability is missing"
    : `namespaces are refused: ${namespaceSettings.join(", ")}`;
}

function on(reason: string): Held {
  return { state: "enforced", reason };
}

function partly(reason: string): Held {
  return { state: "partly", reason };
}

function absent(reason: string): Held {
  return { state: "not here", reason };
}

function allowed(reason: string): Held {
  return { state: "allowed", reason };
}

function row(id: string, capability: string, held: Held): SandboxRow {
  return { id, capability, ...held };
}
