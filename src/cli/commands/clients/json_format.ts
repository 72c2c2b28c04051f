/** Settings in JSON, with comments and commas at the end of lists as editors allow them. Pure. */
import type { ParseError } from "jsonc-parser";
import { type Table, valueAt } from "./entry_place.ts";
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
    remove(text, { keys }, name, values) {
      // Of the tables that then hold nothing the outermost goes.
      const kept = keys.findIndex((_, index) => !has(values, keys.slice(0, index + 1)));
      return edited(jsonc, text, kept < 0 ? [...keys, name] : keys.slice(0, kept + 1));
    },
  };
}

function has(values: Table, keys: readonly string[]): boolean {
  const name = keys.at(-1);
  return name !== undefined && valueAt(values, { format: "json", keys: keys.slice(0, -1) }, name) !== undefined;
}

/** `value` absent: what stands at the path goes. */
function edited({ applyEdits, modify }: Jsonc, text: string, path: readonly string[], value?: Table): string {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  return applyEdits(text, modify(text, [...path], value, { formattingOptions }));
}
