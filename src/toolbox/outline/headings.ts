/** The headings of Markdown, each with what is below it. Pure. */
import type { OutlineSymbol } from "./symbols.ts";

interface Heading {
  readonly level: number;
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Headings in `#` form, outside of code. */
export function headingTree(text: string): OutlineSymbol[] {
  return nested(headingsIn(text), 0).symbols;
}

function headingsIn(text: string): readonly Heading[] {
  const lines = text.split("\n");
  const found: { level: number; name: string; from: number }[] = [];
  let fence: string | undefined;
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    const level = fence === undefined ? /^(#{1,6})[ \t]/.exec(line)?.[1]?.length : undefined;
    if (level !== undefined) found.push({ level, name: line.slice(level).trim(), from: index + 1 });
  }
  const ends = new Array<number>(found.length).fill(text.endsWith("\n") ? lines.length - 1 : lines.length);
  const open: number[] = [];
  for (const [index, { level, from }] of found.entries()) {
    while (open.length > 0 && (found[open.at(-1) ?? 0]?.level ?? 0) >= level) ends[open.pop() ?? 0] = from - 1;
    open.push(index);
  }
  return found.map((heading, index) => ({ ...heading, to: ends[index] ?? heading.from }));
}

/** The headings from `at` on that lie in one another, up to the first that does not. */
function nested(headings: readonly Heading[], at: number, end = Infinity): { symbols: OutlineSymbol[]; next: number } {
  const symbols: OutlineSymbol[] = [];
  let next = at;
  for (let heading = headings[next]; heading !== undefined && heading.from <= end; heading = headings[next]) {
    const below = nested(headings, next + 1, heading.to);
    const { level, name, from, to } = heading;
    symbols.push({
      kind: "heading",
      name,
      from,
      to,
      signature: `${"#".repeat(level)} ${name}`,
      doc: "",
      children: below.symbols,
    });
    next = below.next;
  }
  return { symbols, next };
}
