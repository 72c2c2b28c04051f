/** The policy for checks of tool files (T11): what a session's commands may do, without network and Unix sockets. */
import { type Confinement, isNetworkOpen } from "./confinement.ts";
import type { SandboxPolicy } from "./policy.ts";

/** The narrower policy; undefined: nothing on this system keeps a program from the network. */
export function offlinePolicy(policy: SandboxPolicy): SandboxPolicy | undefined {
  const confinement = offline(policy);
  return isNetworkOpen(confinement) ? undefined : { ...policy, confinement };
}

/** The filter leaves no socket to use; a network namespace, which takes longer to make, stands in where it is missing. */
function offline({ confinement, namespaces }: SandboxPolicy): Confinement {
  return {
    ...confinement,
    network: "none",
    unixSockets: "deny",
    ownNetwork: confinement.ownNetwork || namespaces && !confinement.filter,
  };
}
