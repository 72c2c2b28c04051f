/** A simple diff: the lines between the first and the last difference. Pure. */
import { truncate } from "../../../base/text.ts";

const MOST_LINES = 40;
const LONGEST_LINE = 200;

/** Lines of `before` with `-`, lines of `after` with `+`; at most 40 of each. */
export function lineDiff(before: string, after: string): string {
  const [was, is] = [before.split("\n"), after.split("\n")];
  const shorter = Math.min(was.length, is.length);
  let first = 0;
  while (first < shorter && was[first] === is[first]) first++;
  let last = 0;
  while (last < shorter - first && was.at(-1 - last) === is.at(-1 - last)) last++;
  return [
    `@@ line ${first + 1} @@`,
    ...shown(was.slice(first, was.length - last), "-"),
    ...shown(is.slice(first, is.length - last), "+"),
  ].join("\n");
}

function shown(lines: readonly string[], mark: string): readonly string[] {
  const more = lines.length - MOST_LINES;
  return [
    ...lines.slice(0, MOST_LINES).map((line) => mark + truncate(line, LONGEST_LINE)),
    ...more > 0 ? [`${mark}[${more} lines more]`] : [],
  ];
}
