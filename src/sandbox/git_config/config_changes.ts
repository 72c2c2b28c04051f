/**
 * What a command changed in its copy of a configuration, judged key by key (S24): harmless changes are adopted, the
 * rest stays in the copy. A push must go where it went: an address comes only with a new remote, none is removed, a
 * branch keeps what others gave it, and no command adds `origin` to others. Pure.
 */
import { type ConfigEntries, type ConfigKey, keyParts, sameValues } from "./config_entries.ts";
import {
  isBoolean,
  isBranch,
  isHarmlessValue,
  isPlainAddress,
  isPlainName,
  isTrackingRefspec,
} from "./harmless_values.ts";

/** One key of the real file, and all values that it gets; none: the key is removed. */
export interface ConfigEdit {
  readonly key: string;
  readonly values: readonly string[];
}

export interface JudgedChanges {
  readonly taken: readonly ConfigEdit[];
  /** Keys that are not adopted. */
  readonly dropped: readonly string[];
}

/** A configuration file at three moments. */
export interface ConfigStates {
  /** The copy when it was judged last. */
  readonly before: ConfigEntries;
  /** The copy now. */
  readonly after: ConfigEntries;
  /** The real file now. */
  readonly real: ConfigEntries;
  /** The first value of each key that did not come from a command. */
  readonly first: ConfigEntries;
}

/** Judges each key whose values differ between `before` and `after`, and from those of `real`. */
export function judgeChanges(states: ConfigStates): JudgedChanges {
  const { before, after, real } = states;
  const keys = [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => !sameValues(before, after, key) && !sameValues(after, real, key) && !isLeftBehind(key, states));
  const remotes = new Set(keys.filter((key) => isNewRemote(key, states)).map((key) => keyParts(key).name));
  const isTaken = (key: string) => isHarmless(key, states, (name) => remotes.has(name));
  return {
    taken: keys.filter(isTaken).map((key) => ({ key, values: textsOf(after.get(key) ?? []) ?? [] })),
    dropped: keys.filter((key) => !isTaken(key)),
  };
}

/** The remote that others set for a removed branch: it stays silently, for a later branch of that name. */
function isLeftBehind(key: string, { after, first }: ConfigStates): boolean {
  const { section, name, variable } = keyParts(key);
  return section === "branch" && name !== undefined && variable === "remote" && first.has(key) && !after.has(key) &&
    isGone(after, name, variable);
}

/** Undefined: a key stands without a value. */
function textsOf(values: readonly (string | undefined)[]): readonly string[] | undefined {
  const texts = values.filter((value) => value !== undefined);
  return texts.length === values.length ? texts : undefined;
}

type IsNew = (remote: string) => boolean;

function isHarmless(key: string, states: ConfigStates, isNew: IsNew): boolean {
  const parts = keyParts(key);
  const values = textsOf(states.after.get(key) ?? []);
  if (values === undefined) return false;
  const { name } = parts;
  if (parts.section === "branch" && name !== undefined) {
    return isHarmlessBranch({ ...parts, name }, values, states, isNew);
  }
  if (values.length === 0) return false;
  if (name === undefined) return values.every((value) => isHarmlessValue(key, value));
  if (parts.section === "remote") return isHarmlessRemote({ ...parts, name }, values, states, isNew);
  return parts.section === "submodule" && isHarmlessSubmodule({ ...parts, name }, values, states);
}

type NamedKey = ConfigKey & { readonly name: string };

function isHarmlessBranch(
  { name, variable }: NamedKey,
  values: readonly string[],
  { after, real, first }: ConfigStates,
  isNew: IsNew,
): boolean {
  if (values.length === 0) return isGone(after, name, variable);
  if (!isBranch(`refs/heads/${name}`) || name.startsWith("-")) return false;
  const [value = "", ...more] = values;
  if (more.length > 0) return false;
  if (variable === "merge") return isBranch(value);
  if (variable === "rebase") return isBoolean(value) || value === "merges";
  if (variable !== "remote") return false;
  const known = first.get(`branch.${name}.remote`);
  if (known !== undefined) return known.length === 1 && known[0] === value;
  return value === "." || hasSection(real, "remote", value) || isNew(value);
}

/** Whether the branch was removed or renamed, or no longer tracks one. */
function isGone(after: ConfigEntries, name: string, variable: string): boolean {
  const tracking = ["remote", "merge"];
  return !hasSection(after, "branch", name) ||
    tracking.includes(variable) && tracking.every((one) => !after.has(`branch.${name}.${one}`));
}

function isHarmlessRemote(
  { name, variable }: NamedKey,
  values: readonly string[],
  { real }: ConfigStates,
  isNew: IsNew,
): boolean {
  if (variable === "url") return isNew(name);
  if (!isPlainName(name) || !isNew(name) && !hasSection(real, "remote", name)) return false;
  if (variable === "tagopt") return values.every((value) => value === "--no-tags" || value === "--tags");
  return variable === "fetch" && values.every((value) => isTrackingRefspec(value, name));
}

/** Whether the key is the address of a remote that is not known by another one. */
function isNewRemote(key: string, { after, real, first }: ConfigStates): boolean {
  const { section, name, variable } = keyParts(key);
  if (section !== "remote" || name === undefined || variable !== "url" || !isPlainName(name)) return false;
  if ([real, first].some((entries) => hasSection(entries, "remote", name))) return false;
  if (name === "origin" && [real, first].some((entries) => entries.keys().some(isOfRemote))) return false;
  const [address, ...more] = after.get(key) ?? [];
  return more.length === 0 && address !== undefined && isPlainAddress(address);
}

function isHarmlessSubmodule(
  { name, variable }: NamedKey,
  values: readonly string[],
  { real, first }: ConfigStates,
): boolean {
  const [value = "", ...more] = values;
  if (more.length > 0 || !isPlainName(name)) return false;
  if (variable === "active") return isBoolean(value);
  const key = `submodule.${name}.url`;
  return variable === "url" && !real.has(key) && !first.has(key) && isPlainAddress(value);
}

function isOfRemote(key: string): boolean {
  const { section, name } = keyParts(key);
  return section === "remote" && name !== undefined;
}

function hasSection(entries: ConfigEntries, section: string, name: string): boolean {
  return entries.keys().some((key) => key.startsWith(`${section}.${name}.`) && keyParts(key).name === name);
}
