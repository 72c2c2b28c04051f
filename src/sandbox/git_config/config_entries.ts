/** The entries of one configuration file of git, as `git config --list -z` prints them. Pure. */

/** Values by key, in the order of the file. Undefined: the key stands without a value, which git takes as true. */
export type ConfigEntries = ReadonlyMap<string, readonly (string | undefined)[]>;

/** Arguments that make git print the entries of `file` alone; it starts no program and follows no `include`. */
export function listArguments(file: string): readonly string[] {
  return ["--no-pager", "config", "--file", file, "--no-includes", "--list", "-z"];
}

/** What git printed; empty text: the file holds nothing. */
export function parseEntries(printed: string): ConfigEntries {
  const entries = new Map<string, (string | undefined)[]>();
  for (const entry of printed.split("\0").slice(0, -1)) {
    const end = entry.indexOf("\n");
    const key = end < 0 ? entry : entry.slice(0, end);
    const values = entries.get(key);
    const value = end < 0 ? undefined : entry.slice(end + 1);
    if (values === undefined) entries.set(key, [value]);
    else values.push(value);
  }
  return entries;
}

/** A key in its parts. `name`: of the subsection, which may hold dots; absent: there is none. */
export interface ConfigKey {
  readonly section: string;
  readonly name?: string;
  readonly variable: string;
}

/** Divides a key as git lists it. */
export function keyParts(key: string): ConfigKey {
  const first = key.indexOf(".");
  const last = key.lastIndexOf(".");
  const section = key.slice(0, first);
  const variable = key.slice(last + 1);
  return first === last ? { section, variable } : { section, name: key.slice(first + 1, last), variable };
}

/** Whether both hold the same values under the key. */
export function sameValues(one: ConfigEntries, other: ConfigEntries, key: string): boolean {
  const [values, others] = [one.get(key) ?? [], other.get(key) ?? []];
  return values.length === others.length && values.every((value, at) => value === others[at]);
}
