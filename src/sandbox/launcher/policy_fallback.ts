/** Narrower policies: the next best where the kernel refuses a step of one (S8), and the one for checks of tool files (T11). */
import { systemPaths, TERMINALS } from "../grants/system_paths.ts";
import { isNetworkOpen, withoutOwnNetwork, withoutPrivateSockets } from "../policy/confinement.ts";
import { FS } from "../policy/landlock.ts";
import { COUNT_STEP } from "./steps/limit_steps.ts";
import { SHARED_MEMORY_STEP } from "./steps/mount_steps.ts";
import { NETWORK_STEP } from "./steps/network_steps.ts";
import { ROOT_STEP, TERMINALS_STEP } from "./steps/root_steps.ts";
import { FILTER_STEP } from "./steps/seccomp_steps.ts";
import { NAMESPACES_STEP } from "./policy_table.ts";
import { TEMPORARY_STEP } from "./steps/temporary_steps.ts";
import type { SandboxPolicy } from "../policy/policy.ts";

/** The policy without the feature that `step` belongs to; undefined: the sandbox needs it. */
export function narrowed(policy: SandboxPolicy, step: string): SandboxPolicy | undefined {
  const { confinement } = policy;
  switch (step) {
    case FILTER_STEP:
      return { ...policy, confinement: { ...confinement, filter: false } };
    case NETWORK_STEP:
      return { ...policy, confinement: withoutOwnNetwork(confinement) };
    case COUNT_STEP:
      return { ...policy, confinement: { ...confinement, countedByNamespace: false } };
    case SHARED_MEMORY_STEP:
      return withoutSharedMemory(policy);
    case ROOT_STEP:
      return withoutRoot(policy);
    case TERMINALS_STEP:
      return withoutTerminals(policy);
    case TEMPORARY_STEP:
      return withoutTemporary(policy);
    case NAMESPACES_STEP:
      // Kernels can be built without those of IPC alone, and one call asks for all.
      return policy.sharedIpc === true ? restrictedToLandlock(policy) : { ...policy, sharedIpc: true };
    default:
      return policy.namespaces ? restrictedToLandlock(policy) : undefined;
  }
}

/** CAP_DAC_OVERRIDE: what it opens is confined by Landlock. Chown and chmod are not, without read-only mounts. */
const CONFINED_CAPABILITIES = [1];

/** The policy for a kernel that refuses namespaces: no own /proc, so only its files about the machine are shown. */
export function restrictedToLandlock(policy: SandboxPolicy): SandboxPolicy {
  const facts = systemPaths({ ownProc: false }).filter(({ path }) => path.startsWith("/proc/"));
  return {
    ...withoutSharedMemory(withoutTemporary(withoutRoot(policy))),
    namespaces: false,
    confinement: withoutOwnNetwork(withoutPrivateSockets({ ...policy.confinement, countedByNamespace: false })),
    keptCapabilities: policy.keptCapabilities.filter((one) => CONFINED_CAPABILITIES.includes(one)),
    grants: [
      ...withoutSharedMemory(withoutTerminals(policy)).grants.filter(({ path }) => path !== "/proc"),
      ...facts.map(({ path }) => ({ path, kind: "file" as const, rights: FS.readFile })),
    ],
  };
}

/** Where commands have no /dev/shm of their own they have none: the host's is shared by all users. */
function withoutSharedMemory(policy: SandboxPolicy): SandboxPolicy {
  return { ...policy, sharedMemory: false, grants: policy.grants.filter(({ path }) => path !== "/dev/shm") };
}

/** The machine's root, read-only: ungranted paths are closed, but visible. */
function withoutRoot(policy: SandboxPolicy): SandboxPolicy {
  const { root: _, ...rest } = withoutTerminals(policy);
  return { ...rest, confinement: withoutPrivateSockets(rest.confinement) };
}

/** The machine's terminals belong to other people. */
function withoutTerminals(policy: SandboxPolicy): SandboxPolicy {
  const grants = policy.grants.filter(({ path }) => !TERMINALS.some((one) => one === path));
  return { ...policy, terminals: false, grants };
}

/** Where nothing can be mounted, the machine's /tmp stays closed, and the session's temp directory is at its own path only. */
function withoutTemporary({ temporary: _, ...policy }: SandboxPolicy): SandboxPolicy {
  return policy;
}

/**
 * The policy for checks of tool files (T11): no network and no Unix sockets, by the filter, or else by a network
 * namespace, which takes longer. Undefined: neither is there.
 */
export function offlinePolicy(policy: SandboxPolicy): SandboxPolicy | undefined {
  const { confinement: { ownNetwork, filter }, namespaces } = policy;
  const closed = { network: "none", unixSockets: "deny", ownNetwork: ownNetwork || namespaces && !filter } as const;
  const confinement = { ...policy.confinement, ...closed };
  return isNetworkOpen(confinement) ? undefined : { ...policy, confinement };
}

/** Why nothing may run under a policy that holds as far as this machine allows; undefined: it may. */
export function tooOpen({ confinement, namespaces, root }: SandboxPolicy): string | undefined {
  if (confinement.network === "names" && !(namespaces && confinement.ownNetwork && root !== undefined)) {
    return "Cannot restrict commands to the names of --network on this system: that needs network and mount namespaces " +
      "and a root of their own (which --unix-sockets allow leaves out). Use --network none, localhost or full instead";
  }
  if (!isNetworkOpen(confinement)) return undefined;
  return `Cannot run commands with --network ${confinement.network}: this system lets programs have neither a network ` +
    "of their own (user namespaces) nor a filter of system calls (seccomp). Allow one of them, or use --network full";
}

/** One sentence for each protection that `settled` lacks and `wanted` had, or that this machine never had. */
export function missingLayers(wanted: SandboxPolicy, settled: SandboxPolicy): readonly string[] {
  const { confinement } = settled;
  const missing: string[] = [];
  if (!confinement.filter) {
    missing.push(
      "system calls are not filtered (no seccomp): Unix sockets, raw and other rare sockets, keyrings and " +
        "the limits of other processes are open to commands",
    );
    if (confinement.limits.memory !== undefined) {
      missing.push("--limit-memory does not count memory that processes share: nothing can refuse it (no seccomp)");
    }
  }
  if (settled.namespaces && settled.sharedIpc === true) {
    missing.push("System V memory and message queues are shared with this user's other programs (no IPC namespaces)");
  }
  if (settled.namespaces && wanted.sharedMemory === true && settled.sharedMemory !== true) {
    missing.push(
      "commands have no /dev/shm: none of their own can be mounted, and the machine's is shared by all users",
    );
  }
  if (settled.namespaces && wanted.root !== undefined && settled.root === undefined) {
    missing.push(
      "commands see the names of files outside their directories: a root of their own cannot be mounted",
    );
  }
  if (settled.root !== undefined && wanted.terminals === true && settled.terminals !== true) {
    missing.push("commands have no pseudo-terminals: none of their own can be mounted");
  }
  if (settled.namespaces && wanted.temporary !== undefined && settled.temporary === undefined) {
    missing.push("/tmp and /var/tmp are closed to commands: the session's temp directory cannot be mounted there");
  }
  if (confinement.network !== wanted.confinement.network) {
    missing.push("--network localhost became none: without namespaces there is no private loopback");
  }
  if (settled.namespaces && confinement.unixSockets !== wanted.confinement.unixSockets) {
    missing.push("--unix-sockets private became deny: sockets of other programs cannot be kept out of reach");
  }
  if (confinement.limits.processes !== undefined && settled.user.uid === 0 && !confinement.countedByNamespace) {
    missing.push("processes of root are not limited: that needs a PID namespace of Linux 6.14 or later");
  }
  return missing;
}
