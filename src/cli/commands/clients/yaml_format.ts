/**
 * Settings in YAML. The entry's lines come and go; all other text stays as it is. Entries in one line with others
 * (flow style), or behind an alias, are left to a person.
 */
import type { Document, Node, Pair, YAMLMap, YAMLSeq } from "yaml";
import type { EntryPlace, Table } from "./entry_place.ts";
import type { SettingsFormat } from "./settings_format.ts";

type Yaml = typeof import("yaml");

/** Loads the parser. */
export async function yamlFormat(): Promise<SettingsFormat> {
  const yaml = await import("yaml");
  return {
    parse: (text) => read(yaml, text).toJS(),
    write: (values) => snippet(yaml, values),
    set(text, place, name, value) {
      const file = new YamlText(yaml, text);
      const found = file.entry(place, name);
      if (found === undefined) return file.insert(place, name, value);
      const [first, ...more] = place.list === true ? file.item(value) : file.lines({ [name]: value });
      const indent = file.indentAt(found[0]);
      return file.exchange(found, [first, ...more].map((line) => `${indent}${line}`));
    },
    remove(text, place, name) {
      const found = new YamlText(yaml, text).entry(place, name);
      if (found === undefined) return text;
      let rest = new YamlText(yaml, text).exchange(found, []);
      for (let count = place.keys.length; count > 0; count--) {
        const file = new YamlText(yaml, rest);
        const empty = file.emptyHolder(place.keys.slice(0, count));
        if (empty === undefined) break;
        rest = file.exchange(empty, []);
      }
      return rest;
    },
    comments(text, place, name) {
      const own = new YamlText(yaml, text).entry(place, name) ?? [0, 0];
      let offset = 0;
      return [...new yaml.Lexer().lex(text)].flatMap((token) => {
        const at = offset;
        // Marks between the tokens stand for no text.
        if (!["\x02", "\x18", "\x1f"].includes(token)) offset += token.length;
        return token.startsWith("#") && (at < own[0] || at >= own[1]) ? [token.trimEnd()] : [];
      });
    },
  };
}

/** Offsets of whole lines. */
type Lines = readonly [begin: number, end: number];

class YamlText {
  readonly #yaml: Yaml;
  readonly #text: string;
  readonly #document: Document;
  readonly #eol: string;

  constructor(yaml: Yaml, text: string) {
    this.#yaml = yaml;
    this.#text = text;
    this.#document = read(yaml, text);
    this.#eol = text.includes("\r\n") ? "\r\n" : "\n";
  }

  /** The lines of the entry; undefined: there is none. */
  entry({ keys, list }: EntryPlace, name: string): Lines | undefined {
    const holder = this.#holder(list === true ? keys : [...keys, name]);
    if (list !== true || holder === undefined) return holder && this.#linesOf(holder.key, holder.value);
    const { value } = holder;
    if (!this.#yaml.isSeq(value)) return undefined;
    const item = value.items.find((one) => this.#yaml.isMap(one) && one.get("name") === name);
    return this.#yaml.isNode(item) ? this.#linesOf(item, item) : undefined;
  }

  /** The lines of a key that holds nothing, not even a comment; undefined: it holds something. */
  emptyHolder(keys: readonly string[]): Lines | undefined {
    const holder = this.#holder(keys);
    if (holder === undefined || this.#yaml.isCollection(holder.value)) return undefined;
    const lines = this.#linesOf(holder.key, holder.key);
    const below = this.#text.slice(lines[1]).split("\n").find((line) => /\S/.test(line)) ?? "";
    const isInside = below.search(/\S/) > this.indentAt(lines[0]).length && below.trimStart().startsWith("#");
    return isInside || this.#text.slice(...lines).includes("#") ? undefined : lines;
  }

  /** The text with the entry after the others of its holder. */
  insert(place: EntryPlace, name: string, value: Table): string {
    const { keys, list } = place;
    let depth = keys.length;
    while (depth > 0 && this.#holder(keys.slice(0, depth)) === undefined) depth--;
    const inner: unknown = list === true ? [value] : { [name]: value };
    const nested = keys.slice(depth + 1).reduceRight<unknown>((one, key) => ({ [key]: one }), inner);
    const holder = depth === 0 ? this.#document.contents : this.#holder(keys.slice(0, depth))?.value;
    const key = depth === 0 ? undefined : this.#holder(keys.slice(0, depth))?.key;
    const lines = depth < keys.length
      ? this.lines({ [keys[depth] ?? ""]: nested })
      : list === true
      ? this.item(value)
      : this.lines({ [name]: value });
    if (this.#yaml.isAlias(holder)) throw new Error("An alias");
    if (this.#yaml.isCollection(holder) && holder.items.length === 0) {
      return this.#without(holder).insert(place, name, value);
    }
    if (this.#yaml.isCollection(holder)) {
      if (holder.flow === true) throw new Error("In flow style");
      const end = this.#linesOf(this.#firstOf(holder), lastOf(holder))[1];
      const indent = this.indentAt(this.#linesOf(this.#firstOf(holder), this.#firstOf(holder))[0]);
      return this.exchange([end, end], lines.map((line) => indent + line));
    }
    const at = key === undefined ? this.#text.length : this.#linesOf(key, key)[1];
    const indent = key === undefined ? "" : `${this.indentAt(this.#linesOf(key, key)[0])}  `;
    return this.exchange([at, at], lines.map((line) => `${indent}${line}`));
  }

  /** Blanks before the line at an offset. */
  indentAt(offset: number): string {
    return /^ */.exec(this.#text.slice(offset))?.[0] ?? "";
  }

  /** The text with other lines in that place. */
  exchange([begin, end]: Lines, lines: readonly string[]): string {
    const before = this.#text.slice(0, begin);
    const gap = lines.length > 0 && before !== "" && !before.endsWith("\n") ? this.#eol : "";
    return before + gap + lines.map((line) => line + this.#eol).join("") + this.#text.slice(end);
  }

  lines(values: Table): readonly string[] {
    return snippet(this.#yaml, values).trimEnd().split("\n");
  }

  /** The lines of an item of a list. */
  item(value: Table): readonly string[] {
    return this.lines(value).map((line, index) => (index === 0 ? "- " : "  ") + line);
  }

  /** The key that leads so far, and what it holds; undefined: there is none. @throws Error where it is in flow style */
  #holder(keys: readonly string[]): { readonly key: Node; readonly value: unknown } | undefined {
    let map: unknown = this.#document.contents;
    let pair: Pair | undefined;
    for (const key of keys) {
      if (pair !== undefined) map = pair.value;
      if (map === null || this.#yaml.isScalar(map)) return undefined;
      if (this.#yaml.isCollection(map) && map.items.length === 0) return undefined;
      if (!this.#yaml.isMap(map) || map.flow === true) throw new Error("In flow style, or an alias");
      pair = map.items.find((one) => this.#yaml.isScalar(one.key) && one.key.value === key);
      if (pair === undefined) return undefined;
    }
    if (pair === undefined || !this.#yaml.isNode(pair.key)) return undefined;
    return { key: pair.key, value: pair.value };
  }

  /** The same without the brackets of a collection that holds nothing. */
  #without({ range }: YAMLMap | YAMLSeq): YamlText {
    if (range === undefined || range === null) throw new Error("Without a place");
    const rest = this.#text.slice(0, range[0]).replace(/ +$/, "") + this.#text.slice(range[1]);
    return new YamlText(this.#yaml, rest.trim() === "" ? "" : rest);
  }

  #firstOf(holder: YAMLMap | YAMLSeq): Node {
    const [first] = holder.items;
    const node = this.#yaml.isPair(first) ? first.key : first;
    if (!this.#yaml.isNode(node)) throw new Error("Without a place");
    return node;
  }

  /** From the line on which one node begins to the end of that on which another ends. */
  #linesOf(first: unknown, last: unknown): Lines {
    const from = this.#yaml.isNode(first) ? first.range?.[0] : undefined;
    const to = (this.#yaml.isNode(last) ? last.range?.[1] : undefined) ??
      (this.#yaml.isNode(first) ? first.range?.[1] : undefined);
    if (from === undefined || to === undefined) throw new Error("Without a place");
    const begin = this.#text.lastIndexOf("\n", from - 1) + 1;
    if (!/^\s*(?:- )?$/.test(this.#text.slice(begin, from))) throw new Error("In one line with others");
    if (to > from && this.#text[to - 1] === "\n") return [begin, to];
    const end = this.#text.indexOf("\n", to);
    return [begin, end < 0 ? this.#text.length : end + 1];
  }
}

function lastOf(holder: YAMLMap | YAMLSeq): unknown {
  const last: unknown = holder.items.at(-1);
  if (typeof last !== "object" || last === null || !("key" in last)) return last;
  return "value" in last && last.value !== null ? last.value : last.key;
}

function snippet(yaml: Yaml, values: Table): string {
  return new yaml.Document(values).toString({ lineWidth: 0 });
}

/** @throws Error when the text is no YAML */
function read({ parseDocument }: Yaml, text: string): Document {
  // Looking for keys given twice takes the square of their number; what a change comes to is compared anyway.
  const document = parseDocument(text, { uniqueKeys: false });
  const [first] = document.errors;
  if (first?.code === "MULTIPLE_DOCS") throw new Error("Several documents in one file");
  if (first !== undefined) throw new Error(first.message.split("\n")[0]?.replace(/:$/, ""));
  return document;
}
