/** Why a list refuses a host, and what a person can do about it (S30, S43). Pure. */
import type { NetworkRefusal } from "../command/network_use.ts";
import { findRule, isListedName } from "./name_list.ts";
import type { NetworkReach } from "./network_bound.ts";

/** `port`: undefined, where only the name was asked for. `bound`: what a tool file narrows the list to; undefined: none does. */
export function refusedHost(host: string, port: number | undefined, bound: NetworkReach | undefined): NetworkRefusal {
  const isLeftOut = bound !== undefined &&
    !(port === undefined ? isListedName(bound.names, host) : findRule(bound.names, host, port));
  if (isLeftOut) return { reason: 'is not on the list "network" of its tool file, where a person can add it' };
  const subject = port === undefined ? host : `${host}:${port}`;
  return { reason: "is not on the list of --network", flag: `--network ...,${subject}` };
}
