/** Settings in JSON, with comments and commas at the end of lists as editors allow them. Pure. */
import type { Node, ParseError } from "jsonc-parser";
import type { SettingsFormat, Table } from "./entry_place.ts";

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
    set: (text, { keys }, name, value) =>
      propertyAt(jsonc, text, [...keys, name]) === undefined
        ? withProperty(jsonc, text, { keys, name, value })
        : edited(jsonc, text, [...keys, name], value),
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
    comments(text, { keys }, name) {
      const own = propertyAt(jsonc, text, [...keys, name]);
      const isOwn = (offset: number) => own !== undefined && offset >= own.offset && offset < own.offset + own.length;
      const found: string[] = [];
      const onComment = (offset: number, length: number) =>
        void (isOwn(offset) || found.push(text.slice(offset, offset + length).trimEnd()));
      jsonc.visit(text, { onComment }, { allowTrailingComma: true });
      return found;
    },
  };
}

function propertyAt(jsonc: Jsonc, text: string, path: readonly string[]): Node | undefined {
  const root = jsonc.parseTree(text, [], { allowTrailingComma: true });
  return root === undefined ? undefined : jsonc.findNodeAtLocation(root, [...path])?.parent;
}

/** The text without a property and its comma; everything else stays as it is. */
function withoutProperty(text: string, property: Node | undefined): string {
  if (property === undefined) return text;
  let [begin, end] = [property.offset, property.offset + property.length];
  const next = /^\s*,/.exec(text.slice(end))?.[0];
  if (next !== undefined) end += next.length;
  const isOnOwnLines = /(?:^|\n)[ \t]*$/.test(text.slice(0, begin)) && /^[ \t]*\r?(?:\n|$)/.test(text.slice(end));
  if (isOnOwnLines) {
    begin = text.lastIndexOf("\n", begin - 1) + 1;
    end = text.indexOf("\n", end) + 1 || text.length;
  } else if (next === undefined && !/\/\/[^\n]*\s*$/.test(text.slice(0, begin))) {
    begin = text.slice(0, begin).trimEnd().length;
  }
  const before = text.slice(0, begin);
  // Without a comma after it, the one before it is left over.
  const siblings = property.parent?.children ?? [];
  const previous = siblings[siblings.indexOf(property) - 1];
  const comma = next === undefined && previous !== undefined ? commaAfter(text, previous, property.offset) : undefined;
  return (comma === undefined ? before : before.slice(0, comma) + before.slice(comma + 1)) + text.slice(end);
}

/** The offset of the comma between a property and `end`, outside comments; undefined: there is none. */
function commaAfter(text: string, property: Node, end: number): number | undefined {
  const from = property.offset + property.length;
  const tokens = text.slice(from, end).matchAll(/\/\/[^\n]*|\/\*[^]*?\*\/|,/g);
  const comma = tokens.find(([token]) => token === ",");
  return comma && from + comma.index;
}

/** The text with the property, after the others of the innermost object that is there. */
function withProperty(
  jsonc: Jsonc,
  text: string,
  { keys, name, value }: { readonly keys: readonly string[]; readonly name: string; readonly value: Table },
): string {
  let depth = keys.length;
  while (depth > 0 && propertyAt(jsonc, text, keys.slice(0, depth)) === undefined) depth--;
  const root = jsonc.parseTree(text, [], { allowTrailingComma: true });
  const holder = depth === 0 ? root : propertyAt(jsonc, text, keys.slice(0, depth))?.children?.[1];
  if (holder?.type !== "object") throw new Error("No object");
  const path = [...keys.slice(depth), name];
  const nested = path.slice(1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return insertedIn(text, holder, { key: path[0] ?? name, value: nested });
}

/** All other characters keep their order, so that a removal restores the text. */
function insertedIn(text: string, holder: Node, { key, value }: { key: string; value: unknown }): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const unit = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  const close = holder.offset + holder.length - 1;
  const last = holder.children?.at(-1);
  const own = indentAt(text, last?.offset ?? holder.offset);
  const isInLine = !text.slice(holder.offset, close).includes("\n");
  const comma = last && commaAfter(text, last, close);
  const at = comma ?? (last === undefined ? close : last.offset + last.length);
  if (last !== undefined && isInLine) {
    const rest = text.slice(comma === undefined ? at : at + 1, close).trimEnd();
    return `${text.slice(0, at)},${rest} ${JSON.stringify(key)}: ${JSON.stringify(value)}${text.slice(close)}`;
  }
  const indent = last === undefined ? own + unit : own;
  const lines = `${JSON.stringify(key)}: ${JSON.stringify(value, null, unit)}`.split("\n").map((line) => indent + line);
  const block = lines.join(eol);
  if (last === undefined) {
    const before = text.slice(0, close).trimEnd();
    return `${before}${eol}${block}${eol}${own}${text.slice(close)}`;
  }
  const isTrailing = comma !== undefined;
  const line = text.indexOf("\n", at);
  const end = line < 0 || line > close ? close : text[line - 1] === "\r" ? line - 1 : line;
  const before = isTrailing ? text.slice(0, end) : `${text.slice(0, at)},${text.slice(at, end)}`;
  return `${before}${eol}${block}${isTrailing ? "," : ""}${text.slice(end)}`;
}

/** Blanks at the beginning of the line. */
function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? "";
}

/** The text with another value of a property that is there. */
function edited({ applyEdits, modify }: Jsonc, text: string, path: readonly string[], value: Table): string {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  return applyEdits(text, modify(text, [...path], value, { formattingOptions }));
}
