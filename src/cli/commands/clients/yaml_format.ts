/** Settings in YAML: an entry's lines come and go. Flow style and aliases are left to a person. */
import type { Document, Pair } from "yaml";
import type { EntryPlace, SettingsFormat } from "./entry_place.ts";

type Yaml = typeof import("yaml");

/** Loads the parser. */
export async function yamlFormat(): Promise<SettingsFormat> {
  const yaml = await import("yaml");
  const withoutEntry: SettingsFormat["remove"] = (text, place, name) =>
    exchanged(text, entryLines(yaml, text, place, name) ?? [0, 0], []);
  return {
    parse: (text) => read(yaml, text).toJS(),
    write: (values) => snippet(yaml, values),
    set(text, place, name, value) {
      const lines = entryLines(yaml, text, place, name);
      const entry = place.list === true ? [value] : { [name]: value };
      if (lines === undefined) return withNew(yaml, text, place.keys, entry);
      return exchanged(text, lines, indented(snippet(yaml, entry), /^ */.exec(text.slice(lines[0]))?.[0]));
    },
    remove(text, { keys, ...place }, name) {
      const rest = withoutEntry(text, { keys, ...place }, name);
      return keys.reduceRight((left, _, last) => withoutEmpty(yaml, left, keys.slice(0, last + 1)), rest);
    },
    comments(text, place, name) {
      const tokens = [...new yaml.Lexer().lex(withoutEntry(text, place, name))];
      return tokens.filter((token) => token.startsWith("#")).map((token) => token.trimEnd());
    },
  };
}

/** Offsets of whole lines. */
type Lines = readonly [begin: number, end: number];

/** The lines of the entry; undefined: there is none. */
function entryLines(yaml: Yaml, text: string, { keys, list }: EntryPlace, name: string): Lines | undefined {
  const document = read(yaml, text);
  const pair = pairAt(yaml, document, list === true ? keys : [...keys, name]);
  if (list !== true || pair === undefined) return pair && linesOf(yaml, text, pair.key, pair.value ?? pair.key);
  const items: readonly unknown[] = yaml.isSeq(pair.value) ? pair.value.items : [];
  const item = items.find((one) => yaml.isMap(one) && one.get("name") === name);
  return item === undefined ? undefined : linesOf(yaml, text, item, item);
}

/** The text without a key that holds nothing, not even a comment. */
function withoutEmpty(yaml: Yaml, text: string, keys: readonly string[]): string {
  const document = read(yaml, text);
  const pair = pairAt(yaml, document, keys);
  if (pair === undefined || document.getIn(keys) !== null) return text;
  const lines = linesOf(yaml, text, pair.key, pair.key);
  const below = text.slice(lines[1]).split("\n").find((line) => /\S/.test(line)) ?? "";
  const isInside = below.search(/\S/) > text.slice(...lines).search(/\S/) && below.trimStart().startsWith("#");
  return isInside || text.slice(...lines).includes("#") ? text : exchanged(text, lines, []);
}

/** The text with the entry after the others of its holder. */
function withNew(yaml: Yaml, text: string, keys: readonly string[], entry: unknown): string {
  const document = read(yaml, text);
  const depth = keys.findLastIndex((_, last) => pairAt(yaml, document, keys.slice(0, last + 1)) !== undefined) + 1;
  const pair = pairAt(yaml, document, keys.slice(0, depth));
  const holder: unknown = pair === undefined ? document.contents : pair.value;
  const lines = snippet(yaml, keys.slice(depth).reduceRight<unknown>((inner, key) => ({ [key]: inner }), entry));
  if (!yaml.isCollection(holder)) {
    if (yaml.isAlias(holder)) throw new Error("An alias");
    if (pair === undefined) return exchanged(text, [text.length, text.length], indented(lines));
    const [begin, end] = linesOf(yaml, text, pair.key, pair.key);
    return exchanged(text, [end, end], indented(lines, `${/^ */.exec(text.slice(begin))?.[0]}  `));
  }
  const [first, last] = [holder.items[0], holder.items.at(-1)];
  if (first === undefined) {
    const [begin, end] = rangeOf(yaml, holder);
    const rest = text.slice(0, begin).replace(/ +$/, "") + text.slice(end);
    return withNew(yaml, rest.trim() === "" ? "" : rest, keys, entry);
  }
  if (holder.flow === true) throw new Error("In flow style");
  const [begin, end] = linesOf(
    yaml,
    text,
    yaml.isPair(first) ? first.key : first,
    yaml.isPair(last) ? last.value ?? last.key : last,
  );
  return exchanged(text, [end, end], indented(lines, /^ */.exec(text.slice(begin))?.[0]));
}

/** The pair that the keys lead to; undefined: there is none. */
function pairAt({ isMap, isScalar }: Yaml, document: Document, keys: readonly string[]): Pair | undefined {
  const map = document.getIn(keys.slice(0, -1));
  return isMap(map) ? map.items.find(({ key }) => isScalar(key) && key.value === keys.at(-1)) : undefined;
}

/** From the line on which one node begins to the end of that on which another ends. */
function linesOf(yaml: Yaml, text: string, first: unknown, last: unknown): Lines {
  const [[from], [, to]] = [rangeOf(yaml, first), rangeOf(yaml, last)];
  const begin = text.lastIndexOf("\n", from - 1) + 1;
  if (!/^\s*(?:- )?$/.test(text.slice(begin, from))) throw new Error("In one line with others");
  if (to > from && text[to - 1] === "\n") return [begin, to];
  return [begin, text.indexOf("\n", to) + 1 || text.length];
}

function rangeOf({ isNode }: Yaml, node: unknown): Lines {
  if (!isNode(node) || node.range === undefined || node.range === null) throw new Error("Without a place");
  return [node.range[0], node.range[1]];
}

/** The text with other lines in that place. */
function exchanged(text: string, [begin, end]: Lines, lines: readonly string[]): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const before = text.slice(0, begin);
  const gap = lines.length > 0 && before !== "" && !before.endsWith("\n") ? eol : "";
  return before + gap + lines.map((line) => line + eol).join("") + text.slice(end);
}

function indented(text: string, indent = ""): readonly string[] {
  return text.trimEnd().split("\n").map((line) => indent + line);
}

function snippet({ Document }: Yaml, values: unknown): string {
  return new Document(values).toString({ lineWidth: 0 });
}

/** @throws Error when the text is not YAML */
function read({ parseDocument }: Yaml, text: string): Document {
  // Looking for keys given twice takes the square of their number; what a change comes to is compared anyway.
  const document = parseDocument(text, { uniqueKeys: false });
  const [first] = document.errors;
  if (first?.code === "MULTIPLE_DOCS") throw new Error("Several documents in one file");
  if (first !== undefined) throw new Error(first.message.split("\n")[0]?.replace(/:$/, ""));
  return document;
}
