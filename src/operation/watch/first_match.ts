import type { LinePattern } from "./line_pattern.ts";

/** After so long other work has its turn, milliseconds. */
const SLICE_MS = 10;

/**
 * The index of the first line in which a pattern occurs, -1: none. Lines are tried together as far as the pattern takes
 * them; a longer line is tried in parts. `isOver`: asked after each slice, true gives up.
 */
export async function firstMatch(
  pattern: LinePattern,
  lines: readonly string[],
  isOver: () => boolean,
): Promise<number> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (let first = 0; first < lines.length;) {
    const end = endOfGroup(lines, first, pattern.longest);
    const found = end === first + 1
      ? occursInParts(pattern, lines[first] ?? "") ? first : -1
      : indexIn(pattern, lines, first, end);
    if (found !== -1) return found;
    first = end;
    if (performance.now() < sliceEnd) continue;
    await new Promise((resolve) => setTimeout(resolve));
    if (isOver()) return -1;
    sliceEnd = performance.now() + SLICE_MS;
  }
  return -1;
}

/** Behind the last of the lines from `first` on that are together no longer than `longest`; one at least. */
function endOfGroup(lines: readonly string[], first: number, longest: number): number {
  let end = first + 1;
  let length = lines[first]?.length ?? 0;
  while (end < lines.length) {
    length += 1 + (lines[end]?.length ?? 0);
    if (length > longest) break;
    end++;
  }
  return end;
}

function indexIn(pattern: LinePattern, lines: readonly string[], first: number, end: number): number {
  if (!pattern.occursIn(lines.slice(first, end).join("\n"))) return -1;
  // A hit may lie across lines.
  const index = lines.slice(first, end).findIndex((line) => pattern.occursIn(line));
  return index === -1 ? -1 : first + index;
}

function occursInParts(pattern: LinePattern, line: string): boolean {
  if (line.length <= pattern.longest) return pattern.occursIn(line);
  for (let at = 0; at < line.length; at += pattern.longest) {
    if (pattern.occursIn(line.slice(at, at + pattern.longest))) return true;
  }
  return false;
}
