/** The text of a settings file with our entry, or without it. Nothing else in it may change its value. Pure. */
import { messageOf, UserError } from "../../../base/errors.ts";
import {
  type EntryPlace,
  isTable,
  type SettingsFormat,
  type Table,
  valueAt,
  withoutValue,
  withValue,
} from "./entry_place.ts";
import { jsonFormat } from "./json_format.ts";
import { tomlFormat } from "./toml_format.ts";
import { yamlFormat } from "./yaml_format.ts";

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

/** Some editors begin a file with it. */
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * The text with the entry. `text` undefined or blank: a new file. The same text: it is there already.
 *
 * @throws {UserError} when the file cannot be read as what it should be, or nothing can be added without changing more
 */
export async function withEntry(text: string | undefined, entry: EntryIn, value: Table): Promise<string> {
  const { place, name, file } = entry;
  const format = await FORMATS[place.format]();
  const mark = text?.startsWith(BYTE_ORDER_MARK) === true ? BYTE_ORDER_MARK : "";
  const old = text?.slice(mark.length) ?? "";
  if (old.trim() === "") return mark + format.write(withValue(place.base ?? {}, place, name, value) ?? {});
  const before = valuesOf(old, format, entry);
  const { isDeepStrictEqual } = await comparison();
  if (isDeepStrictEqual(valueAt(before, place, name), value)) return `${text}`;
  const wanted = withValue(before, place, name, value);
  if (wanted === undefined) {
    throw new UserError(`Cannot add the entry to "${file}": "${place.keys.join(".")}" there holds something else`);
  }
  return mark + await changed(old, (one) => format.set(one, place, name, value), { format, wanted, entry });
}

/** Without the entry; undefined: then empty. The same text: no such entry. @throws {UserError} as `withEntry` */
export async function withoutEntry(text: string, entry: EntryIn): Promise<string | undefined> {
  const { place, name } = entry;
  const format = await FORMATS[place.format]();
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const old = text.slice(mark.length);
  if (old.trim() === "") return text;
  const before = valuesOf(old, format, entry);
  if (valueAt(before, place, name) === undefined) return text;
  const wanted = withoutValue(before, place, name);
  const after = await changed(old, (one) => format.remove(one, place, name), { format, wanted, entry });
  const { isDeepStrictEqual } = await comparison();
  const isNothing = isDeepStrictEqual(wanted, place.base ?? {}) && format.comments(old, place, name).length === 0;
  return isNothing ? undefined : mark + after;
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

/** @throws {UserError} when the new text would hold other values or comments than it should */
async function changed(text: string, change: (text: string) => string, to: Wanted): Promise<string> {
  const { format, wanted, entry: { file, place, name } } = to;
  const { isDeepStrictEqual } = await comparison();
  try {
    const after = change(text);
    const values = after.trim() === "" ? {} : format.parse(after) ?? {};
    const isAsWanted = isTable(values) &&
      isDeepStrictEqual(withoutEmpty(plain(values), place.keys), withoutEmpty(plain(wanted), place.keys));
    const left = format.comments(after, place, name);
    if (isAsWanted && isDeepStrictEqual(left, format.comments(text, place, name))) return after;
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
  }
  throw new UserError(
    `Cannot change "${file}" without changing more than the entry "${name}" in it: change it by hand`,
  );
}

/** The values without what holds nothing on the way. */
function withoutEmpty(values: unknown, [key, ...more]: readonly string[]): unknown {
  if (key === undefined || !isTable(values) || !Object.hasOwn(values, key)) return values;
  const { [key]: held, ...rest } = values;
  const left = withoutEmpty(held, more);
  const isEmpty = left === null || typeof left === "object" && Object.keys(left).length === 0;
  return isEmpty ? rest : { ...values, [key]: left };
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
