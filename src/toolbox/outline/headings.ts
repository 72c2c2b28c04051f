/** The headings of Markdown as a tree. Pure. */
import type { OutlineSymbol } from "./symbols.ts";

interface Open extends OutlineSymbol {
  readonly level: number;
  readonly children: OutlineSymbol[];
}

/** Headings in `#` form, outside of code. */
export function headingTree(text: string): OutlineSymbol[] {
  const lines = text.split("\n");
  const top: OutlineSymbol[] = [];
  /** The open headings, outermost first. */
  const open: Open[] = [];
  const close = (level: number, to: number) => {
    for (let last = open.at(-1); last !== undefined && last.level >= level; last = open.at(-1)) {
      const { level: _, ...symbol } = { ...last, to };
      open.pop();
      (open.at(-1)?.children ?? top).push(symbol);
    }
  };
  let fence: string | undefined;
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    const level = fence === undefined ? /^(#{1,6})[ \t]/.exec(line)?.[1]?.length : undefined;
    if (level === undefined) continue;
    close(level, index);
    const name = line.slice(level).trim();
    const signature = `${"#".repeat(level)} ${name}`;
    open.push({ level, kind: "heading", name, from: index + 1, to: index + 1, signature, doc: "", children: [] });
  }
  close(0, text.endsWith("\n") ? lines.length - 1 : lines.length);
  return top;
}
