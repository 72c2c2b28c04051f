/** The policy of commands whose tool file narrows the network (S43). Pure. */
import { covers } from "../../base/network/name_list.ts";
import { narrowedReach, type NetworkReach } from "../../base/network/network_bound.ts";
import { type Confinement, withoutOwnNetwork } from "./confinement.ts";
import type { SandboxPolicy } from "./policy.ts";

/** The policy with its network reduced to `bound`; the same object if that changes nothing. */
export function narrowedPolicy(policy: SandboxPolicy, bound: NetworkReach): SandboxPolicy {
  const { confinement, namespaces } = policy;
  const reach = narrowedReach(confinement, bound);
  if (opensAll(reach, confinement)) return policy;
  const narrow = { ...confinement, ...reach, ownNetwork: true, boundBy: bound };
  // The kernel is known to refuse one where the session has none of its own.
  const isRefused = !namespaces || confinement.network !== "full" && !confinement.ownNetwork;
  return { ...policy, confinement: isRefused ? withoutOwnNetwork(narrow) : narrow };
}

function opensAll(reach: NetworkReach, { network, names }: Confinement): boolean {
  return reach.network === network && names.every((rule) => reach.names.some((one) => covers(one, rule)));
}
