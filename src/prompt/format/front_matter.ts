/** The front matter of a prompt file: YAML between two lines of `---` (Q1, Q5). Pure, except for loading the parser. */
import type { Diagnostic } from "../../base/diagnostic.ts";
import { messageOf } from "../../base/errors.ts";
import type { Place, ReportFault } from "./faults.ts";

/** The longest front matter, characters: the parser's time grows with the square of the number of keys. */
const LONGEST_HEAD = 16 * 1024;
/** The most aliases in it: each may expand to a long text. */
const MOST_ALIASES = 20;

/** The two parts of a file. */
export interface SplitText {
  /** Undefined: there is no front matter. */
  readonly head: string | undefined;
  readonly body: string;
  /** Lines of the file before the body. */
  readonly linesBefore: number;
}

/** Splits a text into its parts; the problem says that the front matter has no end. */
export function splitText(text: string): SplitText | "unclosed" {
  const lines = text.split("\n");
  if (lines[0]?.trimEnd() !== "---") return { head: undefined, body: text, linesBefore: 0 };
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  if (end === -1) return "unclosed";
  return {
    head: lines.slice(1, end).join("\n"),
    body: lines.slice(end + 1).join("\n"),
    linesBefore: end + 1,
  };
}

/** The values of front matter, and the place of each. */
export interface FrontMatter {
  readonly values: Readonly<Record<string, unknown>>;
  readonly placeOf: Places;
}

const AS_NODE = true;

const NOTHING: FrontMatter = { values: {}, placeOf: () => ({ line: 1, column: 1 }) };

/** Reads front matter; if it is not a mapping of names, that is reported, and the result is undefined. */
export async function readFrontMatter(head: string | undefined, report: ReportFault): Promise<FrontMatter | undefined> {
  if (head === undefined) return NOTHING;
  const refuse = (message: string, line = 1, column = 1): undefined => report("error", message, { line, column });
  if (head.length > LONGEST_HEAD) {
    return refuse(`The front matter has ${head.length} characters, at most ${LONGEST_HEAD} are read`);
  }
  const yaml = await import("yaml");
  const counter = new yaml.LineCounter();
  const document = yaml.parseDocument(head, { lineCounter: counter, schema: "core", logLevel: "silent" });
  const place = (offset: number): Pick<Diagnostic, "line" | "column"> => {
    const { line, col } = counter.linePos(offset);
    return { line: line + 1, column: col };
  };
  const [first] = document.errors;
  if (first !== undefined) {
    const { line, column } = place(first.pos[0]);
    return refuse(`The front matter is not valid YAML: ${sentenceOf(first.message)}: correct it`, line, column);
  }
  try {
    const values: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
    if (values === null) return NOTHING;
    if (typeof values !== "object" || Array.isArray(values)) {
      return refuse('The front matter is not a mapping: write lines as in "title: Plan a change"', 2);
    }
    return {
      values: Object.assign(Object.create(null), values),
      placeOf: (path) => {
        const pair = path.length > 1 ? document.getIn(path.slice(0, -1), AS_NODE) : document.contents;
        const key = path.at(-1);
        const item = yaml.isMap(pair)
          ? pair.items.find((one) => yaml.isScalar(one.key) && one.key.value === key)?.key
          : yaml.isSeq(pair) && typeof key === "number"
          ? pair.items[key]
          : undefined;
        const offset = yaml.isNode(item) ? item.range?.[0] : undefined;
        return offset === undefined ? { line: 1, column: 1 } : place(offset);
      },
    };
  } catch (thrown) {
    return refuse(`The front matter cannot be read: ${sentenceOf(messageOf(thrown))}: write it without aliases`);
  }
}

/** The parser's first line, without the place and the excerpt that it adds. */
function sentenceOf(message: string): string {
  return (message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/, "").replace(/[.:]$/, "");
}

/** The place of the key or item that a path leads to; the first line where there is none. */
export type Places = (path: readonly (string | number)[]) => Place;
