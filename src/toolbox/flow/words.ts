/** Tokens of an action line: bare words, quoted texts, and options as `key="value"` or `key={"a": "b"}`. Pure. */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { isObject, parseJson } from "../../wire/json_value.ts";

export interface ParsedWords {
  /** Without quotation marks; `with` is left out. */
  readonly bare: readonly string[];
  /** Contents of quotation marks, in order. */
  readonly quoted: readonly string[];
  readonly options: Readonly<Record<string, string>>;
  /** Options whose values are objects of texts. */
  readonly objects: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const TOKEN =
  /\s+|([A-Za-z_][\w-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\})|([^\s"'{}]+))|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s"'={}]+)/sy;

/** The tokens of a text; the problem shows the first part that is not one. */
export function parseWords(text: string): Outcome<ParsedWords> {
  const bare: string[] = [];
  const quoted: string[] = [];
  const options: Record<string, string> = {};
  const objects: Record<string, Record<string, string>> = {};
  for (let at = 0; at < text.length;) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) return failure(`The action cannot be read from here on: ${text.slice(at, at + 40)}`);
    at = TOKEN.lastIndex;
    const [, key, double, single, object, plain, text1, text2, word] = found;
    if (key !== undefined) {
      options[key] = unescaped(double ?? single ?? object ?? plain ?? "");
      if (object === undefined) continue;
      const members = textsOf(object);
      if (members === undefined) return failure(`${key}=${object} is not an object of texts such as {"NAME": "value"}`);
      objects[key] = members;
    } else if (text1 !== undefined || text2 !== undefined) quoted.push(unescaped(text1 ?? text2 ?? ""));
    else if (word !== undefined && word.toLowerCase() !== "with") bare.push(word);
  }
  return success({ bare, quoted, options, objects });
}

function unescaped(text: string): string {
  return text.replace(/\\(["'\\])/g, "$1");
}

function textsOf(object: string): Record<string, string> | undefined {
  const read = parseJson(object);
  if (!read.ok || !isObject(read.value)) return undefined;
  const entries = Object.entries(read.value);
  return entries.every(([, value]) => typeof value === "string")
    ? Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
    : undefined;
}
