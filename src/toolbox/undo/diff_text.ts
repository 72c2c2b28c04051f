/** The diff of changed text files, at most 8 KiB. */
import { visibleLine } from "../../base/visible_text.ts";
import type { Change } from "../../undo/model/change.ts";
import type { State } from "../../undo/model/entry.ts";
import type { Shown } from "./texts.ts";

const MOST_CHARACTERS = 8192;
/** A longer file is named, and not compared. */
const MOST_BYTES = 256 * 1024;
const MOST_EDITS = 1000;
const MOST_FILES = 50;
/** Next to the output of a command, of which a result keeps what is left of its lines. */
const MOST_BRIEF_LINES = 60;

type ReadContent = (content: string, most: number) => Uint8Array | undefined;

/** Files that were there before and after; empty: none is text. */
export async function diffText(
  changes: readonly Change[],
  read: ReadContent,
  { name, isBrief }: Shown,
): Promise<string> {
  const [most, mostLines] = isBrief === true ? [MOST_CHARACTERS / 2, MOST_BRIEF_LINES] : [MOST_CHARACTERS, Infinity];
  const { structuredPatch } = await import("diff");
  const lines: string[] = [];
  let length = 0;
  let isCut = false;
  for (const { path, before, after } of changes.filter(isDiffed).slice(0, MOST_FILES)) {
    const [old, next] = [textOf(before, read), textOf(after, read)];
    if (old === undefined || next === undefined) continue;
    const options = { context: 3, maxEditLength: MOST_EDITS };
    const patch = structuredPatch("", "", old, next, "", "", options);
    const shown = name(path).toWellFormed();
    const added = [`--- ${shown}`, `+++ ${shown}`];
    for (const hunk of patch?.hunks ?? []) {
      added.push(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`, ...hunk.lines);
    }
    for (const line of added.map(visibleLine)) {
      if (length + line.length < most && lines.length < mostLines) lines.push(line);
      else isCut = true;
      length += line.length + 1;
    }
    if (isCut) break;
  }
  return [...lines, ...isCut ? ["… [the diff is longer: name paths]"] : []].join("\n");
}

function isDiffed({ before, after }: Change): boolean {
  return before?.kind === "file" && after?.kind === "file" && before.content !== after.content;
}

/** Undefined: it is not text, is too long, or is not kept. */
function textOf(state: State, read: ReadContent): string | undefined {
  if (state?.content === undefined || state.size > MOST_BYTES) return undefined;
  const bytes = read(state.content, MOST_BYTES);
  if (bytes === undefined || bytes.includes(0)) return undefined;
  return new TextDecoder().decode(bytes);
}
