import { FS } from "../policy/landlock.ts";
import { withoutOwnNetwork } from "../policy/confinement.ts";
import type { SandboxPolicy } from "../policy/policy.ts";
import { systemPaths } from "../grants/system_paths.ts";

/** CAP_DAC_OVERRIDE: what it opens is confined by Landlock. Chown and chmod are not, without read-only mounts. */
const CONFINED_CAPABILITIES = [1];

/** The policy for a kernel that refuses namespaces: no own /proc, so only its files about the machine are shown. */
export function restrictedToLandlock(policy: SandboxPolicy): SandboxPolicy {
  const facts = systemPaths({ ownProc: false }).filter(({ path }) => path.startsWith("/proc/"));
  return {
    ...withoutSharedMemory(withoutTemporary(policy)),
    namespaces: false,
    confinement: withoutOwnNetwork({ ...policy.confinement, countedByNamespace: false }),
    keptCapabilities: policy.keptCapabilities.filter((one) => CONFINED_CAPABILITIES.includes(one)),
    grants: [
      ...withoutSharedMemory(policy).grants.filter(({ path }) => path !== "/proc"),
      ...facts.map(({ path }) => ({ path, kind: "file" as const, rights: FS.readFile })),
    ],
  };
}

/** Where commands have no /dev/shm of their own they have none: the host's is shared by all users. */
export function withoutSharedMemory(policy: SandboxPolicy): SandboxPolicy {
  return { ...policy, sharedMemory: false, grants: policy.grants.filter(({ path }) => path !== "/dev/shm") };
}

/** Where nothing can be mounted, the machine's /tmp stays closed, and the session's temp directory is at its own path only. */
export function withoutTemporary({ temporary: _, ...policy }: SandboxPolicy): SandboxPolicy {
  return policy;
}
