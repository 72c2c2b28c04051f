/** Settings in YAML; comments stay. Pure. */
import type { Document } from "yaml";
import type { EntryPlace } from "./entry_place.ts";
import type { SettingsFormat } from "./settings_format.ts";

/** No line is folded. */
const STYLE = { lineWidth: 0 } as const;

type Yaml = typeof import("yaml");

/** Loads the parser. */
export async function yamlFormat(): Promise<SettingsFormat> {
  const yaml = await import("yaml");
  return {
    parse: (text) => read(yaml, text).toJS(),
    write: (values) => new yaml.Document(values).toString(STYLE),
    set(text, place, name, value) {
      const document = read(yaml, text);
      document.setIn(pathIn(yaml, document, place, name), document.createNode(value));
      return document.toString(STYLE);
    },
    remove(text, place, name) {
      const document = read(yaml, text);
      const path = pathIn(yaml, document, place, name);
      document.deleteIn(path);
      for (let count = path.length - 1; count > 0; count--) {
        const holder = document.getIn(path.slice(0, count));
        if (!(yaml.isMap(holder) || yaml.isSeq(holder)) || holder.items.length > 0) break;
        document.deleteIn(path.slice(0, count));
      }
      return document.toString(STYLE);
    },
  };
}

/** @throws Error when the text is no YAML */
function read({ parseDocument }: Yaml, text: string): Document {
  const document = parseDocument(text);
  const [first] = document.errors;
  if (first !== undefined) throw new Error(first.message.split("\n")[0]?.replace(/:$/, ""));
  return document;
}

/** The way to the entry of that name, or to where a new one goes. */
function pathIn({ isSeq }: Yaml, document: Document, place: EntryPlace, name: string): readonly (string | number)[] {
  const { keys, list } = place;
  if (list !== true) return [...keys, name];
  const entries = document.getIn(keys);
  const count = isSeq(entries) ? entries.items.length : 0;
  const found = Array.from({ length: count }, (_, index) => index)
    .find((index) => document.getIn([...keys, index, "name"]) === name);
  return [...keys, found ?? count];
}
