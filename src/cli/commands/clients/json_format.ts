/** Settings in JSON, with comments and commas at the end of lists as editors allow them. Pure. */
import type { Node, ParseError } from "jsonc-parser";
import type { EntryPlace, Table } from "./entry_place.ts";
import type { SettingsFormat } from "./settings_format.ts";

type Jsonc = typeof import("jsonc-parser");

/** Loads the parser. */
export async function jsonFormat(): Promise<SettingsFormat> {
  const jsonc = await import("jsonc-parser");
  return {
    parse(text) {
      const errors: ParseError[] = [];
      const values = jsonc.parse(text, errors, { allowTrailingComma: true, disallowComments: false });
      const [first] = errors;
      if (first === undefined) return values;
      const before = text.slice(0, first.offset).split("\n");
      const code = jsonc.printParseErrorCode(first.error);
      const what = code.replace(/(?<!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
      throw new Error(`${what} in line ${before.length}`);
    },
    write: (values) => `${JSON.stringify(values, null, 2)}\n`,
    set: (text, { keys }, name, value) => edited(jsonc, text, [...keys, name], value),
    remove(text, { keys }, name) {
      let rest = withoutProperty(text, propertyAt(jsonc, text, [...keys, name]));
      for (let count = keys.length; count > 0; count--) {
        const holder = propertyAt(jsonc, rest, keys.slice(0, count));
        const value = holder?.children?.[1];
        // A comment in it keeps it.
        if (value === undefined || !/^\{\s*\}$/.test(rest.slice(value.offset, value.offset + value.length))) break;
        rest = withoutProperty(rest, holder);
      }
      return rest;
    },
    comments: (text, place, name) => commentsOf(jsonc, text, place, name),
  };
}

function propertyAt(jsonc: Jsonc, text: string, path: readonly string[]): Node | undefined {
  const root = jsonc.parseTree(text, [], { allowTrailingComma: true });
  return root === undefined ? undefined : jsonc.findNodeAtLocation(root, [...path])?.parent;
}

/** The text without a property and the comma that it leaves over; all else stays as it is. */
function withoutProperty(text: string, property: Node | undefined): string {
  if (property === undefined) return text;
  let [begin, end] = [property.offset, property.offset + property.length];
  const next = /^\s*,/.exec(text.slice(end))?.[0];
  if (next !== undefined) end += next.length;
  const isOnOwnLines = /(?:^|\n)[ \t]*$/.test(text.slice(0, begin)) && /^[ \t]*\r?(?:\n|$)/.test(text.slice(end));
  if (isOnOwnLines) {
    begin = text.lastIndexOf("\n", begin - 1) + 1;
    end = text.indexOf("\n", end) + 1 || text.length;
  }
  const before = text.slice(0, begin);
  // Without a comma after it, the one before it is left over.
  const comma = next === undefined ? commaBefore(text, property) : -1;
  return (comma < 0 ? before : before.slice(0, comma) + before.slice(comma + 1)) + text.slice(end);
}

/** The offset of the comma between a property and the one before it, which no comment holds; -1: there is none. */
function commaBefore(text: string, property: Node): number {
  const siblings = property.parent?.children ?? [];
  const previous = siblings[siblings.indexOf(property) - 1];
  if (previous === undefined) return -1;
  const from = previous.offset + previous.length;
  const tokens = text.slice(from, property.offset).matchAll(/\/\/[^\n]*|\/\*[^]*?\*\/|,/g);
  const comma = tokens.find(([token]) => token === ",");
  return comma === undefined ? -1 : from + comma.index;
}

function commentsOf(jsonc: Jsonc, text: string, { keys }: EntryPlace, name: string): readonly string[] {
  const own = propertyAt(jsonc, text, [...keys, name]);
  const isOwn = (offset: number) => own !== undefined && offset >= own.offset && offset < own.offset + own.length;
  const found: string[] = [];
  jsonc.visit(text, {
    onComment: (offset, length) => void (isOwn(offset) || found.push(text.slice(offset, offset + length).trimEnd())),
  }, { allowTrailingComma: true });
  return found;
}

function edited({ applyEdits, modify }: Jsonc, text: string, path: readonly string[], value: Table): string {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  return applyEdits(text, modify(text, [...path], value, { formattingOptions }));
}
