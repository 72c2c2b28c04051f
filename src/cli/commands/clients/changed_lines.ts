/** The lines that differ between two texts, with their neighbours, for a person to look at. Pure. */

/** Lines shown before and after what differs. */
const AROUND = 2;

/** Lines that begin with `- `, `+ ` or two blanks. `after` undefined: the file goes. Empty: the texts are equal. */
export function changedLines(before: string, after: string | undefined): readonly string[] {
  const [was, is] = [linesOf(before), linesOf(after ?? "")];
  let first = 0;
  while (first < was.length && first < is.length && was[first] === is[first]) first++;
  let last = 0;
  while (last < Math.min(was.length, is.length) - first && was.at(-1 - last) === is.at(-1 - last)) last++;
  const [gone, added] = [was.slice(first, was.length - last), is.slice(first, is.length - last)];
  if (gone.length === 0 && added.length === 0) return [];
  return [
    ...was.slice(Math.max(0, first - AROUND), first).map((line) => `  ${line}`),
    ...gone.map((line) => `- ${line}`),
    ...added.map((line) => `+ ${line}`),
    ...was.slice(was.length - last, was.length - last + AROUND).map((line) => `  ${line}`),
  ];
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
