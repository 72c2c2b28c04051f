/** Which parts of a text were replaced by which parts of another, so that a diff compares only these. Pure. */

/** `[oldStart, oldEnd)` of one text became `[newStart, newEnd)` of the other; everything between regions is equal. */
export interface Region {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** A part to replace. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with all splices applied, and its regions. Splices are in order and do not overlap. */
export function spliced(units: string, splices: readonly Splice[]): { units: string; regions: readonly Region[] } {
  const parts: string[] = [];
  const regions: Region[] = [];
  let from = 0;
  let shift = 0;
  for (const { start, end, text } of splices) {
    parts.push(units.slice(from, start), text);
    regions.push({ oldStart: start, oldEnd: end, newStart: start + shift, newEnd: start + shift + text.length });
    shift += text.length - (end - start);
    from = end;
  }
  parts.push(units.slice(from));
  return { units: parts.join(""), regions };
}

/** The regions of two successive changes. */
export function composed(first: readonly Region[], second: readonly Region[]): readonly Region[] {
  const regions: Region[] = [];
  let [one, other, oldShift, newShift] = [0, 0, 0, 0];
  for (;;) {
    const start = Math.min(first[one]?.newStart ?? Infinity, second[other]?.oldStart ?? Infinity);
    if (start === Infinity) return regions;
    const [oldStart, newStart] = [start + oldShift, start + newShift];
    let end = start;
    for (;;) {
      const [before, after] = [first[one], second[other]];
      if (before !== undefined && before.newStart <= end) {
        end = Math.max(end, before.newEnd);
        oldShift += before.oldEnd - before.oldStart - (before.newEnd - before.newStart);
        one++;
      } else if (after !== undefined && after.oldStart <= end) {
        end = Math.max(end, after.oldEnd);
        newShift += after.newEnd - after.newStart - (after.oldEnd - after.oldStart);
        other++;
      } else break;
    }
    regions.push({ oldStart, oldEnd: end + oldShift, newStart, newEnd: end + newShift });
  }
}

/** One region that covers every difference of two texts; empty if they are equal. */
export function difference(old: string, next: string): readonly Region[] {
  if (old === next) return [];
  const least = Math.min(old.length, next.length);
  const start = sharedUnits(least, (from, to) => [old.slice(from, to), next.slice(from, to)]);
  const end = sharedUnits(least - start, (from, to) => {
    return [old.slice(old.length - to, old.length - from), next.slice(next.length - to, next.length - from)];
  });
  return [{ oldStart: start, oldEnd: old.length - end, newStart: start, newEnd: next.length - end }];
}

/** At most this many units are compared at once. */
const STEP = 65_536;

/** How many units, at most `most`, are equal; `partsAt` returns a range of both texts. */
function sharedUnits(most: number, partsAt: (from: number, to: number) => readonly [string, string]): number {
  let shared = 0;
  for (let step = STEP; step >= 1;) {
    const to = shared + step;
    const [one, other] = to > most ? ["", " "] : partsAt(shared, to);
    if (one === other) shared = to;
    else step /= 2;
  }
  return shared;
}
