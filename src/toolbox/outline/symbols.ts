/** Builds a tree of symbols from definitions. Pure. */
import { type CommentForm, docOf } from "./doc.ts";
import { signatureOf } from "./signature.ts";

/** A definition as a grammar finds it; places are in code units from 0. */
export interface Definition {
  readonly kind: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Where its body begins; undefined: it has none. */
  readonly body: number | undefined;
}

/** A named symbol of a source. */
export interface OutlineSymbol {
  readonly kind: string;
  readonly name: string;
  /** First and last line, from 1. */
  readonly from: number;
  readonly to: number;
  /** On one line, without the body. */
  readonly signature: string;
  /** First paragraph of its comment, on one line; empty: it has none. */
  readonly doc: string;
  readonly children: readonly OutlineSymbol[];
}

interface Open {
  readonly definition: Definition;
  readonly kind: string;
  readonly children: OutlineSymbol[];
}

const ROUTINES: ReadonlySet<string> = new Set(["function", "method", "constructor"]);
/** Kinds that are shown with their containing symbol, but not inside a function. */
export const DETAILS: ReadonlySet<string> = new Set(["field", "constant", "variable", "member", "property"]);
/** Kinds in which a function is a method. */
const TYPES: ReadonlySet<string> = new Set(
  ["class", "struct", "interface", "trait", "impl", "enum", "record", "protocol", "union", "contract", "library"],
);

/** Nests definitions by their extents. Of two definitions with the same place and name, the first counts. */
export function symbolTree(text: string, definitions: readonly Definition[], form: CommentForm): OutlineSymbol[] {
  const lines = text.split("\n");
  const starts = lineStarts(lines);
  const top: OutlineSymbol[] = [];
  const open: Open[] = [];
  const seen = new Set<string>();
  const close = () => {
    const { definition, kind, children } = open.pop() as Open; // called only while one is open
    const from = lineAt(starts, definition.start);
    const symbol: OutlineSymbol = {
      kind,
      name: definition.name,
      from: from + 1,
      to: lineAt(starts, Math.max(definition.start, definition.end - 1)) + 1,
      signature: signatureOf(text, definition, form.comment),
      doc: docOf({ text, lines, row: from, body: definition.body, form }),
      children,
    };
    (open.at(-1)?.children ?? top).push(symbol);
  };
  const ordered = definitions.toSorted((one, other) => one.start - other.start || other.end - one.end);
  for (const definition of ordered) {
    const key = `${definition.start} ${definition.name}`;
    if (seen.has(key)) continue;
    while (isPast(open.at(-1), definition)) close();
    const outer = open.at(-1)?.kind ?? "";
    if (DETAILS.has(definition.kind) && open.some(({ kind }) => ROUTINES.has(kind))) continue;
    seen.add(key);
    const kind = definition.kind === "function" && TYPES.has(outer) ? "method" : definition.kind;
    open.push({ definition, kind, children: [] });
  }
  while (open.length > 0) close();
  return top;
}

/** Names of one declaration, as in `int x, y`, are siblings. */
function isPast(open: Open | undefined, { start, end }: Definition): boolean {
  if (open === undefined) return false;
  const { definition } = open;
  return definition.end <= start || definition.start === start && definition.end === end;
}

function lineStarts(lines: readonly string[]): readonly number[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return start;
  });
}

function lineAt(starts: readonly number[], place: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
