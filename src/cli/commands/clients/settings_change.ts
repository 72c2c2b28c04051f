/** The text of a settings file with our entry, or without it. Nothing else in it may change its value. Pure. */
import { messageOf, UserError } from "../../../base/errors.ts";
import { type EntryPlace, isTable, type Table, valueAt, withoutValue, withValue } from "./entry_place.ts";
import { jsonFormat } from "./json_format.ts";
import { tomlFormat } from "./toml_format.ts";
import { yamlFormat } from "./yaml_format.ts";
import type { SettingsFormat } from "./settings_format.ts";

/** An entry in a file; `file` names it in errors. */
export interface EntryIn {
  readonly file: string;
  readonly place: EntryPlace;
  readonly name: string;
}

const FORMATS: Readonly<Record<EntryPlace["format"], () => Promise<SettingsFormat>>> = {
  json: jsonFormat,
  toml: tomlFormat,
  yaml: yamlFormat,
};

/**
 * The text with the entry. `text` undefined or blank: a new file. The same text: it is there already.
 *
 * @throws {UserError} when the file cannot be read as what it should be, or nothing can be added without changing more
 */
export async function withEntry(text: string | undefined, entry: EntryIn, value: Table): Promise<string> {
  const { place, name, file } = entry;
  const format = await FORMATS[place.format]();
  if (text === undefined || text.trim() === "") {
    return format.write(withValue(place.base ?? {}, place, name, value) ?? {});
  }
  const before = valuesOf(text, format, entry);
  const { isDeepStrictEqual } = await comparison();
  if (isDeepStrictEqual(valueAt(before, place, name), value)) return text;
  const wanted = withValue(before, place, name, value);
  if (wanted === undefined) {
    throw new UserError(`Cannot add the entry to "${file}": "${place.keys.join(".")}" there holds something else`);
  }
  return await checked(format.set(text, place, name, value), { format, wanted, entry });
}

/**
 * The text without the entry; undefined: nothing else was in the file. The same text: there is no such entry.
 *
 * @throws {UserError} as `withEntry` does
 */
export async function withoutEntry(text: string, entry: EntryIn): Promise<string | undefined> {
  const { place, name } = entry;
  const format = await FORMATS[place.format]();
  if (text.trim() === "") return text;
  const before = valuesOf(text, format, entry);
  if (valueAt(before, place, name) === undefined) return text;
  const wanted = withoutValue(before, place, name);
  const after = await checked(format.remove(text, place, name, wanted), { format, wanted, entry });
  const hasComments = /\/\/|\/\*|#/.test(after);
  const { isDeepStrictEqual } = await comparison();
  return isDeepStrictEqual(wanted, place.base ?? {}) && !hasComments ? undefined : after;
}

function valuesOf(text: string, format: SettingsFormat, { file, place }: EntryIn): Table {
  try {
    const values = format.parse(text) ?? {};
    if (isTable(values)) return values;
  } catch (thrown) {
    throw new UserError(
      `Cannot read "${file}" as ${place.format.toUpperCase()}: ${messageOf(thrown)}. Correct it first`,
    );
  }
  throw new UserError(`Cannot read "${file}": it holds no table of settings`);
}

interface Wanted {
  readonly format: SettingsFormat;
  readonly wanted: Table;
  readonly entry: EntryIn;
}

/** @throws {UserError} when the new text holds other values than it should */
async function checked(text: string, { format, wanted, entry }: Wanted): Promise<string> {
  let values: unknown;
  try {
    values = text.trim() === "" ? {} : format.parse(text) ?? {};
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
  }
  const { isDeepStrictEqual } = await comparison();
  if (isDeepStrictEqual(plain(values), plain(wanted))) return text;
  throw new UserError(
    `Cannot change "${entry.file}" without changing more than the entry "${entry.name}" in it: change it by hand`,
  );
}

/** Loaded when it is needed: at every start it would cost 7 MB. */
async function comparison(): Promise<Pick<typeof import("node:util"), "isDeepStrictEqual">> {
  return await import("node:util");
}

/** Parsers give tables with and without a prototype. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isTable(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}
