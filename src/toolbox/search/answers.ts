/** Answers of the search tools. Pure. */
import { visibleText } from "../../base/visible_text.ts";
import { firstSentence } from "../outline/doc.ts";
import { linesOf, skippedLine } from "../outline/render.ts";
import type { ChunkHit } from "./find_hits.ts";
import type { UpdateReport } from "./project_index.ts";
import { LINES_KIND } from "./schema.ts";
import type { KnownFile } from "./store.ts";

const LONGEST_DOC = 100;

/** A piece on one line: where it is and what it is. */
export function hitLine({ path, from, to, kind, name }: ChunkHit): string {
  const what = kind === LINES_KIND ? "" : ` ${kind} ${name}`;
  return visibleText(`${path}:${linesOf({ from, to })}${what}`);
}

/** A symbol on one line, with its signature. */
export function symbolLine({ path, from, to, signature, doc }: ChunkHit, holder: string): string {
  const said = doc === "" ? "" : `  — ${firstSentence(doc, LONGEST_DOC)}`;
  const where = holder === "" ? "" : ` (in ${holder})`;
  return visibleText(`${path}:${linesOf({ from, to })} ${signature}${where}${said}`);
}

/** What the index lacks; empty: nothing. */
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
