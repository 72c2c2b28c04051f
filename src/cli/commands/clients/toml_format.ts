/** Settings in TOML: separate blocks of lines come and go, the rest stays. Dotted keys are not found. */
import { attempt } from "../../../base/errors.ts";
import { type EntryPlace, type SettingsFormat, type Table, valueAt } from "./entry_place.ts";

type Toml = typeof import("smol-toml");

/** Loads the parser. */
export async function tomlFormat(): Promise<SettingsFormat> {
  const toml = await import("smol-toml");
  return {
    parse: (text) => toml.parse(text, { integersAsBigInt: "asNeeded" }),
    write: (values) =>
      `${toml.stringify(values).trimEnd()}
`,
    set(text, place, name, value) {
      const [before, after] = around(toml, text, place, name) ?? [text, ""];
      return joined([before, blockOf(toml, place, name, value), after], eolOf(text));
    },
    remove(text, place, name) {
      const [before, after] = around(toml, text, place, name) ?? [text, ""];
      return joined([before, after], eolOf(text));
    },
    comments(text, place, name) {
      const outside = (around(toml, text, place, name) ?? [text]).join("\n");
      // One inside a string counts too, and stays like everything else.
      return outside.split("\n").flatMap((line) => /#.*\S/.exec(line)?.[0] ?? []);
    },
  };
}

function blockOf({ stringify }: Toml, { keys, list }: EntryPlace, name: string, value: Table): string {
  const inner: unknown = list === true ? [value] : { [name]: value };
  return stringify(keys.reduceRight((table, key) => ({ [key]: table }), inner));
}

/** Parts of a file with one empty line between them. */
function joined(parts: readonly string[], eol: string): string {
  const filled = parts.map((part) => part.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd()).filter((part) => part !== "");
  const lines = filled.map((part) => part.split(/\r?\n/).join(eol));
  return lines.length === 0 ? "" : lines.join(eol + eol) + eol;
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** The text before and after the entry's block; undefined: there is no such block. */
function around(toml: Toml, text: string, place: EntryPlace, name: string): readonly [string, string] | undefined {
  const lines = text.split(/\r?\n/);
  const header = place.keys.join(".");
  const own = place.list === true ? `[[${header}]]` : `[${header}.${name}]`;
  const below = place.list === true ? `[${header}.` : `[${header}.${name}.`;
  for (let begin = 0; begin < lines.length; begin++) {
    if (headerOf(lines[begin]) !== own) continue;
    let end = begin + 1;
    while (end < lines.length && (headerOf(lines[end])?.startsWith(below) ?? true)) end++;
    // Comments above the next block belong to that one.
    while (end > begin + 1 && /^\s*(#|$)/.test(lines[end - 1] ?? "")) end--;
    const block = lines.slice(begin, end).join("\n");
    if (!holds(toml, block, place, name)) continue;
    return [lines.slice(0, begin).join("\n"), lines.slice(end).join("\n")];
  }
  return undefined;
}

function holds({ parse }: Toml, block: string, place: EntryPlace, name: string): boolean {
  // It fails for a line of a text that looks like the beginning of a block.
  return attempt(Error, () => valueAt(parse(block), place, name)) !== undefined;
}

/** The header in a line, without spaces and quotation marks; undefined: the line is not a header. */
function headerOf(line: string | undefined): string | undefined {
  return /^\s*(\[\[?[^\]]*\]?\])\s*(?:#.*)?$/.exec(line ?? "")?.[1]?.replace(/[\s"']/g, "");
}
