/** Answers of the search tools. Pure. */
import { truncate } from "../../base/text.ts";
import { visibleName, visibleText } from "../../base/visible_text.ts";
import { firstSentence } from "../outline/doc.ts";
import { linesOf, skippedLine } from "../outline/render.ts";
import type { ChunkHit } from "./find_hits.ts";
import type { UpdateReport } from "./project_index.ts";
import { LINES_KIND } from "./schema.ts";
import type { KnownFile } from "./store.ts";

const LONGEST_DOC = 100;
const MOST_LINES = 5;
const LONGEST_LINE = 159;

/** A hit on one line: its place and kind. */
export function hitLine({ path, from, to, kind, name }: ChunkHit): string {
  const what = kind === LINES_KIND ? "" : ` ${kind} ${name}`;
  return visibleText(`${visibleName(path)}:${linesOf({ from, to })}${what}`);
}

/** A symbol on one line, with its signature. */
export function symbolLine({ path, from, to, signature, doc }: ChunkHit, holder: string): string {
  const said = doc === "" ? "" : `  — ${firstSentence(doc, LONGEST_DOC)}`;
  const where = holder === "" ? "" : ` (in ${holder})`;
  return visibleText(`${visibleName(path)}:${linesOf({ from, to })} ${signature}${where}${said}`);
}

/** Files missing from the index. */
export function updateNote({ pending, isWhole, isBusy }: UpdateReport): readonly string[] {
  if (isBusy) return ["[the index is being updated just now: there may be more]"];
  const late = pending === 0 ? [] : [`${pending} changed or new files are not indexed yet`];
  const unseen = isWhole ? [] : ["not all files were looked for"];
  return late.length + unseen.length === 0 ? [] : [`[${[...late, ...unseen].join("; ")}: call search_index]`];
}

/** Files of the index that were left out, by reason; empty: none. */
export function leftOut(files: ReadonlyMap<string, KnownFile>): string {
  return skippedLine(
    [...files].flatMap(([path, { skipped }]) => skipped === undefined ? [] : [{ path, reason: skipped }]),
  );
}

/** The numbered lines of a piece that match a query best; `from` and `to` are its first and last line, from 1. */
export function excerptOf(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
  terms: readonly string[],
): readonly string[] {
  const lines = text.split("\n").slice(from - 1, to);
  const found = lines.map((line) => {
    const lower = line.toLowerCase();
    return new Set(terms.filter((term) => lower.includes(term)));
  });
  let best = 0;
  let most = -1;
  for (let start = 0; start <= Math.max(0, lines.length - MOST_LINES); start++) {
    const window = found.slice(start, start + MOST_LINES);
    const count = new Set(window.flatMap((terms) => [...terms])).size;
    if (count > most) [best, most] = [start, count];
  }
  return lines.slice(best, best + MOST_LINES).map((line, at) =>
    `  ${from + best + at}\t${truncate(line.trimEnd(), LONGEST_LINE)}`
  );
}
