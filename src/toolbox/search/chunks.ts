/** Splits a source into the pieces that a search finds. Pure. */
import { DETAILS, type OutlineSymbol } from "../outline/symbols.ts";
import { LINES_KIND } from "./schema.ts";

/** A piece of a source. */
export interface Chunk {
  /** The kind of a symbol; `lines`: text outside symbols. */
  readonly kind: string;
  readonly name: string;
  /** First and last line, from 1. */
  readonly from: number;
  readonly to: number;
  readonly signature: string;
  readonly doc: string;
  /** Its searched text; empty: the containing symbol has it. */
  readonly body: string;
}

const FREE: boolean = false;
/** A symbol's piece has at most this many lines; the rest is split into blocks. */
const MOST_SYMBOL_LINES = 60;
const WINDOW_LINES = 40;
const OVERLAP_LINES = 10;
/** The start of a comment or attribute line. */
const COMMENT = /^\s*(?:\/\/|\/\*|\*|#|--|;|@)/;
/** Longer lines are ignored as generated. */
const LONGEST_LINE = 1000;

/** A piece for every symbol, and pieces for lines outside symbols. */
export function chunksOf(text: string, symbols: readonly OutlineSymbol[]): readonly Chunk[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const chunks: Chunk[] = [];
  const taken = lines.map(() => FREE);
  const visit = (symbol: OutlineSymbol, holder?: OutlineSymbol) => {
    const isDetail = holder !== undefined && DETAILS.has(symbol.kind);
    const own = isDetail ? [] : [...commentLines(lines, taken, symbol.from), ...ownLines(symbol, taken)];
    for (const child of symbol.children) visit(child, symbol);
    const { kind, name, from, to, signature, doc } = symbol;
    chunks.push({ kind, name, from, to, signature, doc, body: textOf(lines, own) });
  };
  for (const symbol of symbols) visit(symbol);
  chunks.push(...windows(lines, taken));
  return chunks.toSorted((one, other) => one.from - other.from || other.to - one.to);
}

/** Claims the comment lines above a symbol. */
function commentLines(lines: readonly string[], taken: boolean[], from: number): readonly number[] {
  const own: number[] = [];
  for (let line = from - 1; line > 0 && !taken[line - 1] && COMMENT.test(lines[line - 1] ?? ""); line--) {
    taken[line - 1] = true;
    own.unshift(line);
  }
  return own;
}

/** Claims the lines of a symbol and returns those outside its inner symbols. */
function ownLines({ from, to, children }: OutlineSymbol, taken: boolean[]): readonly number[] {
  const holding = children.filter(({ kind }) => !DETAILS.has(kind));
  const end = holding.length > 0 ? to : Math.min(to, from + MOST_SYMBOL_LINES - 1);
  const own: number[] = [];
  let next = 0;
  for (let line = from; line <= end; line++) {
    taken[line - 1] = true;
    while ((holding[next]?.to ?? Infinity) < line) next++;
    const isHeld = (holding[next]?.from ?? Infinity) <= line;
    if (!isHeld && own.length < MOST_SYMBOL_LINES) own.push(line);
  }
  return own;
}

/** Unclaimed lines in overlapping pieces. */
function windows(lines: readonly string[], taken: readonly boolean[]): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let start = 0;
  while (start < lines.length) {
    if (taken[start] || lines[start]?.trim() === "") {
      start++;
      continue;
    }
    let end = start;
    while (end < lines.length && !taken[end]) end++;
    for (let from = start; from < end; from += WINDOW_LINES - OVERLAP_LINES) {
      const to = Math.min(end, from + WINDOW_LINES);
      const numbers = Array.from({ length: to - from }, (_, at) => from + at + 1);
      const body = textOf(lines, numbers);
      chunks.push({ kind: LINES_KIND, name: "", from: from + 1, to, signature: "", doc: "", body });
      if (to === end) break;
    }
    start = end;
  }
  return chunks;
}

function textOf(lines: readonly string[], numbers: readonly number[]): string {
  return numbers.map((line) => (lines[line - 1] ?? "").slice(0, LONGEST_LINE)).join("\n");
}
