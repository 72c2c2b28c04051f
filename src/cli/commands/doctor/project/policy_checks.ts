/** What a project asks for, held against the policy in force by the functions that decide and explain it. Pure. */
import { isNetworkOpen } from "../../../../sandbox/policy/confinement.ts";
import type { SandboxPolicy } from "../../../../sandbox/policy/policy.ts";
import type { SandboxChoice } from "../../../../sandbox/policy/sandbox_settings.ts";
import { closesUnixSockets, socketDenial } from "../../../../sandbox/denials/denied_operations.ts";
import { flagsFor } from "../../../../sandbox/denials/denied_outside.ts";
import { allows } from "../../../../sandbox/denials/policy_query.ts";
import { isPlainAddress } from "../../../../sandbox/git_config/harmless_values.ts";
import { isForbiddenVariable } from "../../../../sandbox/grants/environment.ts";
import { isWithin, parentOf } from "../../../../system/paths.ts";
import { shorten } from "../../../../base/visible_text.ts";
import { shortNameList } from "../../../../base/network/short_name_list.ts";
import { missingHosts, neededHosts } from "./network_needs.ts";
import { lacks, type ProjectCheck, works } from "./project_check.ts";
import type { HookManager } from "./project_names.ts";
import type { Need, ProjectNeeds } from "./project_needs.ts";

/** What decides the checks. */
export interface ProjectFacts {
  readonly policy: SandboxPolicy;
  readonly choice: SandboxChoice;
  readonly scope: string;
  readonly scopes: readonly string[];
  readonly sensitive: readonly string[];
  /** The user's. */
  readonly home: string | undefined;
  /** Of commands, and of the server. */
  readonly environment: Readonly<Record<string, string>>;
  readonly serverEnvironment: Readonly<Record<string, string>>;
  /** What is there, canonical; undefined: nothing. */
  readonly look: (path: string) => { readonly path: string; readonly isDirectory: boolean } | undefined;
  /** Whether commands are kept from changing it because programs outside obey it. */
  readonly isProtected: (path: string) => boolean;
  readonly git: GitFacts;
}

/** Where the repository of a scope is. */
export interface GitFacts {
  /** `.git` is a directory of the scope. */
  readonly isOwn: boolean;
  /** Of a linked worktree or a submodule; undefined: it is neither. */
  readonly linked: string | undefined;
  /** A directory above the scope that is a repository; undefined: none is. */
  readonly above: string | undefined;
  /** Addresses of its remotes. */
  readonly remotes: readonly string[];
  /** Hooks are set up. */
  readonly hasHooks: boolean;
}

/** A row for each thing that a project asks for. */
export function policyChecks(needs: ProjectNeeds, facts: ProjectFacts): readonly ProjectCheck[] {
  return [
    ...repositoryChecks(facts),
    ...networkChecks(needs, facts),
    ...needs.places.flatMap((need) => placeCheck(need, facts)),
    ...needs.variables.map((need) => variableCheck(need, facts)),
    ...needs.sockets.flatMap((need) => socketCheck(need, facts)),
    ...needs.containers.map((need) => containerCheck(need, facts)),
    ...ownSocketChecks(needs, facts),
    ...facts.git.isOwn ? needs.hooks.map((need) => hookCheck(need, facts)) : [],
    ...needs.submodules.flatMap(submoduleCheck),
    ...needs.homes.flatMap((need) => homeCheck(need, facts)),
  ];
}

function repositoryChecks({ git, policy, scope, home = "/" }: ProjectFacts): readonly ProjectCheck[] {
  const { linked, above, isOwn } = git;
  if (linked !== undefined && !policy.writable.some(({ path }) => isWithin(linked, path))) {
    const flag = { name: "write", value: linked } as const;
    return [lacks("git", "git", `its repository ${shown(linked)} lies outside the scope: git does not work`, flag)];
  }
  if (linked === undefined && above !== undefined && !isOwn && !isWithin(home, above)) {
    const why = `${shown(scope)} is a part of the repository ${shown(above)}: git finds none`;
    return [lacks("git", "git", `${why}. Take that as the scope (--sandbox-scope)`)];
  }
  return [];
}

/** The list that the project needs is proposed, never the whole network where a list is enough. */
function networkChecks(needs: ProjectNeeds, facts: ProjectFacts): readonly ProjectCheck[] {
  const { policy: { confinement }, environment, git } = facts;
  const needed = neededHosts(needs.tools.map(({ name }) => name), [...needs.addresses, ...git.remotes]);
  if (!needs.packages && needs.submodules.length === 0 && needed.length === 0) return [];
  const cache = shown(parentOf(environment["CARGO_HOME"] ?? "/"));
  const list = needed.length === 0 ? "packages" : shortNameList(needed);
  const row = (message: string) => works("network", "packages", message);
  const lack = (message: string, value: string) => lacks("network", "packages", message, { name: "network", value });
  if (confinement.network === "names") {
    const missing = missingHosts(confinement.names, needed);
    if (missing === undefined) return [row(`are fetched from listed hosts, and kept in ${cache}`)];
    return [lack(`${missing} is not on the list of --network`, `${shortNameList(confinement.names)},${missing}`)];
  }
  if (hasNetwork(confinement)) {
    return [row(`are fetched, and kept in ${cache}. Less would be enough: --network ${list}`)];
  }
  return [lack(`commands fetch nothing (--network ${confinement.network}), and find only what is in ${cache}`, list)];
}

function hasNetwork(confinement: SandboxPolicy["confinement"]): boolean {
  return confinement.network === "full" || isNetworkOpen(confinement);
}

/** What is missing is missing outside too. */
function placeCheck({ name, file }: Need, facts: ProjectFacts): readonly ProjectCheck[] {
  const { policy, scopes, look } = facts;
  const place = look(name);
  if (place === undefined || scopes.some((scope) => isWithin(place.path, scope))) return [];
  const { path, isDirectory } = place;
  const what = `${shown(path)} (${file})`;
  if (allows(policy, path, isDirectory ? "list" : "read")) return [works("place", "path", `${what} can be read`)];
  const flags = flagsFor({ path, kind: isDirectory ? "directory" : "file" }, facts, "closed");
  const value = flags.find((flag) => flag.startsWith("--read "))?.slice("--read ".length);
  if (value === undefined) return [lacks("place", "path", `${what} is closed, and no flag should open it`)];
  if (scopes.some((scope) => isWithin(scope, path))) {
    return [lacks("place", "path", `${what} holds the scope. Take it as the scope (--sandbox-scope)`)];
  }
  return [lacks("place", "path", `${what} lies outside the scope`, { name: "read", value })];
}

function variableCheck({ name, file }: Need, { environment, serverEnvironment }: ProjectFacts): ProjectCheck {
  if (environment[name] !== undefined) return works("variable", "variable", `${name} (${file}) is passed on`);
  if (isForbiddenVariable(name)) return lacks("variable", "variable", `${name} (${file}) is never passed on`);
  const flag = { name: "env", value: name } as const;
  const isSet = serverEnvironment[name] !== undefined;
  const why = isSet ? "is not passed on: commands could read and send it" : "is not set where the server starts";
  return lacks("variable", "variable", `${name} (${file}) ${why}`, flag);
}

/** A socket in the project may be one that a command makes. */
function socketCheck({ name, file }: Need, { policy, scopes }: ProjectFacts): readonly ProjectCheck[] {
  if (policy.writable.some(({ path }) => isWithin(name, path))) return [];
  const denial = socketDenial(name, { policy, scopes, sockets: [name] });
  if (denial === undefined) return [works("socket", "socket", `${shown(name)} (${file}) can be reached`)];
  const port = hasNetwork(policy.confinement) ? "its port on localhost" : "a port on localhost with --network full";
  const flags = denial.flags.join(" ");
  return [
    lacks("socket", "socket", `${shown(name)} (${file}) is out of reach: use ${port}. ${flags} opens every socket`),
  ];
}

function containerCheck({ file }: Need, { policy }: ProjectFacts): ProjectCheck {
  if (!closesUnixSockets(policy)) return works("docker", "docker", `(${file}) can be reached`);
  const ports = hasNetwork(policy.confinement) ? "reach its ports on localhost" : "reach its ports with --network full";
  return lacks("docker", "docker", `(${file}) is not for commands: run it yourself. They ${ports}`);
}

/** Node's tools and Python's pools make them. */
function ownSocketChecks({ tools }: ProjectNeeds, { policy, choice }: ProjectFacts): readonly ProjectCheck[] {
  if (policy.confinement.unixSockets !== "deny" || !closesUnixSockets(policy)) return [];
  if (!tools.some(({ name }) => name === "node" || name === "python3")) return [];
  const value = choice.confinement.unixSockets === "deny" ? "private" : "allow";
  const why = "commands make no Unix sockets: tsx, Python's managers and forkserver fail";
  return [lacks("own_sockets", "sockets", why, { name: "unix-sockets", value })];
}

const SET_UP: Readonly<Record<HookManager, string>> = {
  "husky": "npx husky",
  "lefthook": "lefthook install",
  "pre-commit": "pre-commit install",
};

/** husky names a directory in git's configuration, the others write to that of the repository. */
function hookCheck({ name, file }: Need<HookManager>, { git, scope, isProtected, policy }: ProjectFacts): ProjectCheck {
  const target = name === "husky" ? ".git/config" : ".git/hooks";
  if (git.hasHooks) return works("hooks", "hooks", `${name} (${file}): git's hooks are set up`);
  const isDenied = policy.namespaces && isProtected(`${scope}/${target}`);
  if (!isDenied) return works("hooks", "hooks", `${name} (${file}): commands can set them up`);
  const person = `run "${SET_UP[name]}" yourself once`;
  const danger = `--allow-protected ${target} lets commands do it, and decide what git runs outside`;
  return lacks("hooks", "hooks", `${name} (${file}): commands cannot set them up; ${person}. ${danger}`);
}

/** A relative address is seen from that of the repository. */
function submoduleCheck({ name, file }: Need): readonly ProjectCheck[] {
  if (isPlainAddress(name) || /^\.\.?\//.test(name)) return [];
  const why = `${shown(name)} (${file}) is not an address on the network`;
  return [lacks("submodule", "submodule", `${why}: run "git submodule update --init" yourself`)];
}

function homeCheck({ name, file }: Need, { policy, environment }: ProjectFacts): readonly ProjectCheck[] {
  const [variable = "", directory = ""] = name.split(" ");
  if (environment[variable] !== undefined) return [];
  const path = `${environment["HOME"] ?? ""}/${directory}`;
  if (allows(policy, path, "create")) return [works("home", "home", `~/${directory} (${file}) can be made`)];
  return [lacks("home", "home", `~/${directory} (${file}) cannot be written`, { name: "private-home" })];
}

/** A text of the project, which may hold anything. */
function shown(text: string): string {
  return JSON.stringify(shorten(text, 120));
}
