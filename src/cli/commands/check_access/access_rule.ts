/** Whether commands may use a path or reach a host, and the rule that decides it. Pure. */
import { findRule, type NameList, printNameList, printPlace } from "../../../base/network/name_list.ts";
import { flagsFor } from "../../../sandbox/denials/denied_outside.ts";
import type { Place } from "../../../sandbox/denials/inspect_path.ts";
import { type Access, allows } from "../../../sandbox/denials/policy_query.ts";
import type { Confinement } from "../../../sandbox/policy/confinement.ts";
import type { SandboxPolicy } from "../../../sandbox/policy/policy.ts";
import { isWithin } from "../../../system/paths.ts";

/** The answer, and why. */
export interface Verdict {
  readonly allowed: boolean;
  /** What holds, as a sentence without its end. */
  readonly rule: string;
  /** What a person could add to the command line; empty: no flag opens it, or nothing needs to be opened. */
  readonly flags: readonly string[];
}

export interface PathFacts {
  readonly policy: SandboxPolicy;
  readonly scopes: readonly string[];
  /** Of the session; undefined: there is none. */
  readonly temporary: string | undefined;
  /** Undefined: unknown. */
  readonly home: string | undefined;
  /** Canonical places of credentials. */
  readonly sensitive: readonly string[];
  readonly isProtected: (path: string) => boolean;
}

/** The verdict on a path; on a directory: what may be done inside it. */
export function pathVerdict(place: Place, access: Access, facts: PathFacts): Verdict {
  const { policy, scopes, sensitive, isProtected } = facts;
  const { path, kind } = place;
  const secret = sensitive.find((one) => isWithin(path, one));
  if (secret !== undefined) {
    return no(`"${secret}" is a place of credentials, which commands do not see`, `--allow-read-sensitive ${secret}`);
  }
  const changes = CHANGES.includes(access);
  if (changes && policy.namespaces && GIT_CONFIGURATION.test(path) && isProtected(path)) {
    return { allowed: true, rule: "commands change a copy, whose harmless settings go into the file", flags: [] };
  }
  if (changes && isProtected(path)) {
    const flags = kind === "directory" ? [] : [`--allow-protected ${path}`];
    return no("it is protected, because programs outside the sandbox obey it", ...flags);
  }
  const asked = kind === "directory" && changes ? `${path}/any` : path;
  const right = kind === "directory" && access === "write" ? "create" : access;
  if (allows(policy, asked, right)) {
    return { allowed: true, rule: openedBy(asked, right, facts), flags: [] };
  }
  const isReadable = kind !== undefined && allows(policy, path, kind === "directory" ? "list" : "read");
  const flags = flagsFor(place, facts, isReadable ? "readable" : "closed");
  const above = path === "/" || scopes.some((scope) => isWithin(scope, path));
  return no(
    above ? "it contains the scope, and opening it would open everything next to the scope" : "no rule opens it",
    ...above ? [] : flags.filter((flag) => flag.startsWith(changes ? "--write" : "--read")),
  );
}

const GIT_CONFIGURATION = /\/\.git\/(?:modules\/.*\/)?config$/;
const CHANGES: readonly Access[] = ["write", "create", "remove"];

/** The rule with the longest path. */
function openedBy(
  path: string,
  access: Access,
  { policy, scopes, temporary }: PathFacts,
): string {
  if (temporary !== undefined && isWithin(path, temporary)) return "commands have temporary directories of their own";
  const scope = scopes.find((one) => isWithin(path, one));
  if (scope !== undefined) return `it lies in the scope "${scope}"`;
  const rules = [
    ...policy.writable.map((tree) => ({
      path: tree.path,
      itself: "commands may change it",
      below: "which commands may change",
    })),
    ...policy.grants.filter((one) => allows({ ...policy, writable: [], grants: [one] }, path, access))
      .map((one) => ({ path: one.path, itself: "it is opened to commands", below: "which is opened to commands" })),
  ].filter((one) => isWithin(path, one.path));
  const [first, ...others] = rules;
  if (first === undefined) return "rules of several directories open it";
  const longest = others.reduce((one, other) => other.path.length > one.path.length ? other : one, first);
  return longest.path === path ? longest.itself : `it lies in "${longest.path}", ${longest.below}`;
}

/** `port` undefined: the ports of the web. */
export function hostVerdict(
  { host, port }: { readonly host: string; readonly port: number | undefined },
  { network, names }: Pick<Confinement, "network" | "names">,
): Verdict {
  switch (network) {
    case "full":
      return { allowed: true, rule: "--network full opens every address", flags: [] };
    case "none":
      return no("--network none closes the network", `--network ${printPlace(host, port)}`);
    case "localhost":
      return no("--network localhost leads to the loopback of commands only", `--network ${printPlace(host, port)}`);
    case "names":
      return namedVerdict(host, port, names);
  }
}

function namedVerdict(host: string, port: number | undefined, names: NameList): Verdict {
  const found = (port === undefined ? [443, 80] : [port]).flatMap((one) => findRule(names, host, one) ?? []);
  if (found.length === 0) {
    return no("it is not on the list of --network", `--network ...,${printPlace(host, port)}`);
  }
  return { allowed: true, rule: `"${printNameList(found)}" is on the list of --network`, flags: [] };
}

function no(rule: string, ...flags: readonly string[]): Verdict {
  return { allowed: false, rule, flags };
}
