/** Front matter: YAML between lines of `---`. A change of one key changes one line; comments and order stay. Pure. */
import { Document, isMap, isScalar, isSeq, type Node, type Pair, parseDocument, type Scalar, type YAMLMap } from "yaml";
import { failure, type Outcome, success } from "../../../base/outcome.ts";

/** Maximum length of front matter, characters. */
const LONGEST_FRONT = 16_384;

/** The parts of a file; concatenated they are the file again. */
export interface SplitText {
  /** Up to the end of the opening line; empty: there is no front matter. */
  readonly open: string;
  /** The YAML with its last line break. */
  readonly front: string;
  /** The closing line. */
  readonly close: string;
  readonly body: string;
}

/** The value of a key; a list contains only scalars. */
export type FrontValue = string | number | boolean | readonly string[];

/** The values by key; null and other types are left out. */
export type FrontValues = Readonly<Record<string, FrontValue>>;

/** New values by key; undefined removes the key. */
export type FrontChange = Readonly<Record<string, FrontValue | undefined>>;

const OPEN = /^\uFEFF?---[ \t]*\r?\n/;

export function splitText(text: string): SplitText {
  const [open] = OPEN.exec(text) ?? [];
  const close = open === undefined ? undefined : closingLine(text, open.length);
  if (open === undefined || close === undefined) return { open: "", front: "", close: "", body: text };
  const [from, to] = close;
  return { open, front: text.slice(open.length, from), close: text.slice(from, to), body: text.slice(to) };
}

/** Start and end of the first line of `---` from `start` on; undefined: there is none. */
function closingLine(text: string, start: number): readonly [from: number, to: number] | undefined {
  for (let from = start; from < text.length;) {
    const end = text.indexOf("\n", from);
    const to = end < 0 ? text.length : end + 1;
    if (/^---\s*$/.test(text.slice(from, Math.min(to, from + 80)))) return [from, to];
    from = to;
  }
  return undefined;
}

/** Parses front matter; the problem says why it cannot be read. */
export function readFront(front: string): Outcome<FrontValues> {
  const parsed = parseFront(front);
  if (!parsed.ok) return parsed;
  const values: Record<string, FrontValue> = Object.create(null);
  for (const pair of parsed.value.contents?.items ?? []) {
    const value = plainValue(pair.value);
    if (value !== undefined) values[keyOf(pair)] = value;
  }
  return success(values);
}

/** The text with changed values; missing front matter is added. The problem says why it cannot be changed. */
export function changeFront(text: string, change: FrontChange): Outcome<string> {
  const { open, front, close, body } = splitText(text);
  if (open === "") {
    const made = newFront(change);
    return success(made === "" ? text : `---\n${made}---\n${text.replace(/^\uFEFF/, "")}`);
  }
  const eol = open.endsWith("\r\n") ? "\r\n" : "\n";
  let changed = front;
  for (const [key, value] of Object.entries(change)) {
    const next = changeKey({ front: changed, eol }, key, value);
    if (!next.ok) return next;
    changed = next.value;
  }
  return success(`${open}${changed}${close}${body}`);
}

/** The YAML of new values, one line each; empty if all are undefined. */
export function newFront(values: FrontChange): string {
  return Object.entries(values).flatMap(([key, value]) => value === undefined ? [] : `${key}: ${written(value)}\n`)
    .join("");
}

interface Place {
  readonly front: string;
  readonly eol: string;
}

type FrontDocument = Document.Parsed<YAMLMap.Parsed<Scalar.Parsed>>;

function parseFront(front: string): Outcome<FrontDocument> {
  if (front.length > LONGEST_FRONT) return failure(`its front matter is longer than ${LONGEST_FRONT} characters`);
  try {
    const document = parseDocument(front, { schema: "core", logLevel: "silent", prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined) {
      const line = front.slice(0, error.pos[0]).split("\n").length + 1;
      return failure(`its front matter is not YAML: line ${line}: ${error.message.split("\n")[0] ?? ""}`);
    }
    if (document.contents !== null && !isMap(document.contents)) {
      return failure("its front matter is not a list of keys and values");
    }
    return success(document as FrontDocument); // a map or nothing, as was just looked at
  } catch (thrown) {
    // Bounds the nesting, because the parser is recursive.
    if (thrown instanceof RangeError) return failure("its front matter nests too deeply");
    throw thrown;
  }
}

function keyOf({ key }: Pair<unknown, unknown>): string {
  const value = (key as Scalar | null)?.value;
  return typeof value === "string" ? value : String(value);
}

/** The value of a scalar or a list of scalars; undefined: null, an alias or a map. Aliases are not expanded. */
function plainValue(node: unknown): FrontValue | undefined {
  if (isScalar(node)) return scalarValue(node.value);
  if (!isSeq(node)) return undefined;
  return node.items.flatMap((item) => {
    const value = isScalar(item) ? scalarValue(item.value) : undefined;
    return value === undefined ? [] : [String(value)];
  });
}

function scalarValue(value: unknown): string | number | boolean | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : undefined;
}

/** On one line. */
function written(value: FrontValue): string {
  const document = new Document(value);
  if (isSeq(document.contents)) document.contents.flow = true;
  return document.toString({ lineWidth: 0, flowCollectionPadding: false }).replace(/\n+$/, "");
}

function changeKey({ front, eol }: Place, key: string, value: FrontValue | undefined): Outcome<string> {
  const parsed = parseFront(front);
  if (!parsed.ok) return parsed;
  const document = parsed.value;
  const pair = document.contents?.items.find((one) => keyOf(one) === key);
  if (pair === undefined ? value === undefined : isEqual(plainValue(pair.value), value)) return success(front);
  const spliced = pair === undefined
    ? `${ended(front, eol)}${key}: ${written(value ?? "")}${eol}`
    : value === undefined
    ? withoutPair(front, pair)
    : withValue({ front, eol }, pair, value);
  if (spliced !== undefined && hasOnlyChanged(front, spliced, key, value)) return success(spliced);
  if (value === undefined) document.delete(key);
  else document.set(key, value);
  const whole = document.toString({ lineWidth: 0 });
  return isEqual(valueOf(whole, key), value)
    ? success(whole)
    : failure(`its front matter cannot take another "${key}"; change it with files_edit`);
}

function ended(front: string, eol: string): string {
  return front === "" || front.endsWith("\n") ? front : front + eol;
}

type FrontPair = Pair<unknown, unknown>;

function withoutPair(front: string, pair: FrontPair): string | undefined {
  const [from] = rangeOf(pair.key) ?? [];
  const [, to] = rangeOf(pair.value) ?? [];
  if (from === undefined || to === undefined || front.slice(from, to).includes("\n")) return undefined;
  const lineEnd = front.indexOf("\n", to);
  return front.slice(0, front.lastIndexOf("\n", from) + 1) + (lineEnd < 0 ? "" : front.slice(lineEnd + 1));
}

function withValue({ front, eol }: Place, { value: node }: FrontPair, value: FrontValue): string | undefined {
  const range = rangeOf(node);
  if (range === undefined) return undefined;
  const [from, to] = range;
  const before = front.slice(0, from);
  const space = /[\s]$/.test(before) || before === "" ? "" : " ";
  const isBlock = isSeq(node) && node.flow !== true && node.items.length > 0;
  const text = isBlock && Array.isArray(value) && value.length > 0
    ? value.map((item) => `- ${written(item)}`).join(`${eol}${" ".repeat(from - before.lastIndexOf("\n") - 1)}`)
    : written(value);
  const end = front.slice(from, to).endsWith("\n") ? eol : "";
  return `${before}${space}${text}${end}${front.slice(to)}`;
}

function rangeOf(node: unknown): readonly [from: number, to: number] | undefined {
  const range = (node as Node | null)?.range;
  return range === undefined || range === null ? undefined : [range[0], range[1]];
}

/** Whether the new text has the value, and every other key is textually unchanged. */
function hasOnlyChanged(before: string, after: string, key: string, value: FrontValue | undefined): boolean {
  const [was, is] = [textsOf(before), textsOf(after)];
  if (was === undefined || is === undefined) return false;
  was.delete(key);
  is.delete(key);
  return isEqual(valueOf(after, key), value) && JSON.stringify([...was]) === JSON.stringify([...is]);
}

function textsOf(front: string): Map<string, string> | undefined {
  const parsed = parseFront(front);
  if (!parsed.ok) return undefined;
  return new Map((parsed.value.contents?.items ?? []).map((pair) => {
    const [from, to] = rangeOf(pair.value) ?? [0, 0];
    return [keyOf(pair), front.slice(from, to)];
  }));
}

function valueOf(front: string, key: string): FrontValue | undefined {
  const read = readFront(front);
  return read.ok ? read.value[key] : undefined;
}

function isEqual(one: FrontValue | undefined, other: FrontValue | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
