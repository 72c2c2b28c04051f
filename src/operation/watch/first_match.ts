import type { LinePattern } from "./line_pattern.ts";

/** Length of a slice, milliseconds; other work runs between slices. */
const SLICE_MS = 10;

/** The index of the first line in which a pattern occurs, -1: none. `isOver`: asked after each slice. */
export async function firstMatch(
  pattern: LinePattern,
  lines: readonly string[],
  isOver: () => boolean,
): Promise<number> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (const [found] of groupMatches(pattern, lines)) {
    if (found !== undefined) return found;
    if (performance.now() < sliceEnd) continue;
    await new Promise((resolve) => setTimeout(resolve));
    if (isOver()) return -1;
    sliceEnd = performance.now() + SLICE_MS;
  }
  return -1;
}

/** Indexes of matching lines, group by group, as many at once as the pattern takes; longer ones in parts. */
export function* groupMatches(pattern: LinePattern, lines: readonly string[]): Generator<readonly number[]> {
  for (let first = 0; first < lines.length;) {
    const end = endOfGroup(lines, first, pattern.longest);
    yield end === first + 1
      ? occursInParts(pattern, lines[first] ?? "") ? [first] : []
      : indexesIn(pattern, lines, first, end);
    first = end;
  }
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

function indexesIn(pattern: LinePattern, lines: readonly string[], first: number, end: number): readonly number[] {
  const group = lines.slice(first, end);
  if (!pattern.occursIn(group.join("\n"))) return [];
  // A match may span lines.
  return group.flatMap((line, index) => pattern.occursIn(line) ? [first + index] : []);
}

function occursInParts(pattern: LinePattern, line: string): boolean {
  if (line.length <= pattern.longest) return pattern.occursIn(line);
  for (let at = 0; at < line.length; at += pattern.longest) {
    if (pattern.occursIn(line.slice(at, at + pattern.longest))) return true;
  }
  return false;
}
