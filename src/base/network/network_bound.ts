/** The `network` of a tool file (S43): it narrows what the server allows, and never widens it. Pure. */
import { failure, type Outcome, success } from "../outcome.ts";
import {
  covers,
  findRule,
  isListedName,
  type NameList,
  type NameRule,
  parseNameList,
  printPlace,
} from "./name_list.ts";
import type { NetworkRefusal } from "../command/network_use.ts";

/** Where commands may connect. */
export interface NetworkReach {
  /** `names`: only to the hosts of the list. */
  readonly network: "full" | "localhost" | "none" | "names";
  /** Empty where `network` is a word, or where two lists have nothing in common. */
  readonly names: NameList;
}

/** The words of a tool file. */
export const BOUND_WORDS = ["none", "localhost"] as const;
/** The value in a tool file: a word, or the entries of a list. */
export type NetworkField = typeof BOUND_WORDS[number] | readonly string[];

/** What the field allows; the problem names the entry. */
export function readBound(field: NetworkField): Outcome<NetworkReach> {
  if (typeof field === "string") return success({ network: field, names: [] });
  const parsed = field.length === 0 ? failure("it is empty") : parseNameList(field.join(","));
  return parsed.ok ? success({ network: "names", names: parsed.value }) : parsed;
}

/** What both allow. */
export function narrowedReach(outer: NetworkReach, inner: NetworkReach): NetworkReach {
  if (outer.network === "full") return inner;
  if (inner.network === "full") return outer;
  const word = [...BOUND_WORDS].find((one) => one === outer.network || one === inner.network);
  return word === undefined
    ? { network: "names", names: commonRules(outer.names, inner.names) }
    : { network: word, names: [] };
}

/** The rules of the list `inner` that `outer` does not allow completely. */
export function closedRules(outer: NetworkReach, inner: NetworkReach): NameList {
  if (outer.network === "full") return [];
  return inner.names.filter((rule) => !outer.names.some((one) => covers(one, rule)));
}

/** The rules that both lists allow; of two overlapping rules the narrower. */
function commonRules(outer: NameList, inner: NameList): NameList {
  const byPort = Map.groupBy(outer, ({ port }) => port);
  const found = new Map<string, NameRule>();
  for (const one of inner) {
    for (const other of byPort.get(one.port) ?? []) {
      const anyProtocol = one.anyProtocol && other.anyProtocol;
      const [mine, theirs] = [{ ...one, anyProtocol }, { ...other, anyProtocol }];
      const common = covers(theirs, mine) ? mine : covers(mine, theirs) ? theirs : undefined;
      if (common === undefined) continue;
      const key = `${common.kind} ${common.name} ${common.port}`;
      found.set(key, { ...common, anyProtocol: anyProtocol || found.get(key)?.anyProtocol === true });
    }
  }
  return [...found.values()];
}

/** `port`: undefined, where only the name was asked for. `bound`: what a tool file narrows the list to; undefined: none does. */
export function refusedHost(host: string, port: number | undefined, bound: NetworkReach | undefined): NetworkRefusal {
  const isLeftOut = bound !== undefined &&
    !(port === undefined ? isListedName(bound.names, host) : findRule(bound.names, host, port));
  if (isLeftOut) return { reason: 'is not on the list "network" of its tool file, where a person can add it' };
  return { reason: "is not on the list of --network", flag: `--network ...,${printPlace(host, port)}` };
}
