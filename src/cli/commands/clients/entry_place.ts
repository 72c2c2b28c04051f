/** The place of an entry in a settings file, and the same change applied to the file's values. Pure. */

/** Values of a settings file, by key. */
export type Table = Readonly<Record<string, unknown>>;

export interface EntryPlace {
  readonly format: "json" | "toml" | "yaml";
  /** Keys that lead to what holds the entries. */
  readonly keys: readonly string[];
  /** Entries stand in a list, each with its `name`; absent: in a table, by name. */
  readonly list?: true;
  /** What else a new file contains. */
  readonly base?: Table;
}

/** The values with the entry set, replacing one of the same name. Undefined: a value of another kind is in the way. */
export function withValue(root: Table, place: EntryPlace, name: string, value: Table): Table | undefined {
  return changed(root, place.keys, (entries) => {
    if (place.list !== true) return isTable(entries ?? {}) ? { ...entries ?? {}, [name]: value } : undefined;
    if (entries !== undefined && !Array.isArray(entries)) return undefined;
    const at = (entries ?? []).findIndex((one) => isNamed(one, name));
    return at < 0 ? [...entries ?? [], value] : entries?.with(at, value);
  });
}

/** The values without the entry, and without tables and lists that then hold nothing. */
export function withoutValue(root: Table, place: EntryPlace, name: string): Table {
  const keys = place.list === true ? place.keys : [...place.keys, name];
  return without(root, keys, place.list === true ? name : undefined);
}

/** The entry of that name; undefined: there is none. */
export function valueAt(root: Table, { keys, list }: EntryPlace, name: string): unknown {
  const entries = keys.reduce<unknown>((at, key) => isTable(at) ? own(at, key) : undefined, root);
  if (list === true) return Array.isArray(entries) ? entries.find((one) => isNamed(one, name)) : undefined;
  return isTable(entries) ? own(entries, name) : undefined;
}

export function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNamed(one: unknown, name: string): boolean {
  return isTable(one) && own(one, "name") === name;
}

function own(table: Table, key: string): unknown {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function changed(at: unknown, keys: readonly string[], change: (value: unknown) => unknown): Table | undefined {
  const [key, ...more] = keys;
  if (key === undefined || !isTable(at)) return undefined;
  const before = own(at, key) ?? undefined;
  const value = more.length === 0 ? change(before) : changed(before ?? {}, more, change);
  return value === undefined ? undefined : { ...at, [key]: value };
}

function without(at: Table, [key, ...more]: readonly string[], name: string | undefined): Table {
  if (key === undefined || !Object.hasOwn(at, key)) return at;
  const { [key]: value, ...rest } = at;
  const left = more.length > 0
    ? isTable(value) ? without(value, more, name) : value
    : name === undefined
    ? undefined
    : Array.isArray(value)
    ? value.filter((one) => !isNamed(one, name))
    : value;
  const isEmpty = left === undefined || Array.isArray(left) && left.length === 0 ||
    isTable(left) && Object.keys(left).length === 0;
  return isEmpty ? rest : { ...at, [key]: left };
}

export interface SettingsFormat {
  /** The values of a file. @throws Error when it is not such a file; its message says why */
  readonly parse: (text: string) => unknown;
  /** The text of a new file with these values. */
  readonly write: (values: Table) => string;
  /** The text with the entry; one of that name is replaced. */
  readonly set: (text: string, place: EntryPlace, name: string, value: Table) => string;
  /** The text without the entry of that name, and without what then holds nothing, not even a comment. */
  readonly remove: (text: string, place: EntryPlace, name: string) => string;
  /** The comments outside the entry, in order. */
  readonly comments: (text: string, place: EntryPlace, name: string) => readonly string[];
}
