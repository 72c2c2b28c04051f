/** Outlines as the answer of a call. Pure. */
import { visibleName, visibleText } from "../../base/visible_text.ts";
import { firstSentence } from "./doc.ts";
import type { OutlineSymbol } from "./symbols.ts";

export interface FileOutline {
  /** Its path in answers. */
  readonly path: string;
  readonly symbols: readonly OutlineSymbol[];
}

/** A file that has no outline. */
export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
}

/** The outline of one file in lines; `depth`: number of symbol levels. */
export function fileLines({ path, symbols }: FileOutline, depth: number): readonly string[] {
  const lines = symbolLines(symbols, depth, "");
  return [visibleName(path), ...lines.length === 0 ? ["(defines nothing)"] : lines];
}

function symbolLines(symbols: readonly OutlineSymbol[], depth: number, indent: string): readonly string[] {
  if (depth === 0) return [];
  const lines = symbols.flatMap((symbol) => [
    `${indent}${linesOf(symbol)} ${visibleText(symbol.signature)}${shownDoc(symbol)}`,
    ...symbolLines(symbol.children, depth - 1, `${indent}  `),
  ]);
  // Several names of one declaration.
  return lines.filter((line, index) => line !== lines[index - 1]);
}

/** The line, or the range of lines. */
export function linesOf({ from, to }: Pick<OutlineSymbol, "from" | "to">): string {
  return from === to ? `${from}` : `${from}-${to}`;
}

const LONGEST_DOC = 100;

function shownDoc({ doc }: OutlineSymbol): string {
  return doc === "" ? "" : `  — ${visibleText(firstSentence(doc, LONGEST_DOC))}`;
}

/** A symbol as data, for JSON and YAML. */
export function symbolData(symbol: OutlineSymbol, depth: number): Readonly<Record<string, unknown>> {
  const { kind, name, from, to, signature, doc, children } = symbol;
  const inside = depth > 1 ? children.map((child) => symbolData(child, depth - 1)) : [];
  return {
    name,
    kind,
    lines: [from, to],
    signature,
    ...doc !== "" && { doc },
    ...inside.length > 0 && { children: inside },
  };
}

const MOST_NAMES = 5;

/** The number of skipped files by reason; empty: none. */
export function skippedLine(skipped: readonly SkippedFile[]): string {
  if (skipped.length === 0) return "";
  const groups = [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, files]) => {
    const names = files.slice(0, MOST_NAMES).map(({ path }) => visibleName(path)).join(", ");
    return `${names}${files.length > MOST_NAMES ? ` and ${files.length - MOST_NAMES} more` : ""} (${reason})`;
  });
  return `[skipped: ${groups.join("; ")}]`;
}
