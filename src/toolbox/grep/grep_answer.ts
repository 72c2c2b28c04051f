/** The answer of `files_grep` from what was found. Pure. */
import { visibleName } from "../../base/visible_text.ts";
import type { FoundFile, FoundLine, FoundLines } from "./found_lines.ts";
import type { GrepQuery, GrepView } from "./grep_query.ts";

/** Maximum length of an answer, characters. */
const BUDGET = 48 * 1024;

interface Page {
  readonly lines: readonly string[];
  /** Entries that are shown, of `total`. */
  readonly shown: number;
  readonly total: number;
}

/** The answer with matches. */
export function grepAnswer(found: FoundLines, query: GrepQuery, view: GrepView): string {
  const page = view.mode === "content" ? contentPage(found, query, view) : filePage(found, view);
  const { shown, total, lines } = page;
  const end = view.offset + shown;
  const files = `${found.files.length === 1 ? "1 file" : `${found.files.length} files`}`;
  const what = view.mode === "content" ? `${total} matches in ${files}` : `${files}, ${found.matches} matches`;
  if (shown === total) return lines.join("\n");
  const rest = end < total ? `; continue with offset ${end}` : "";
  return [...lines, `[${shown} of ${what}${rest}]`].join("\n");
}

function filePage({ files }: FoundLines, { mode, offset, limit }: GrepView): Page {
  const shown = files.slice(offset, offset + limit);
  const lines = shown.map(({ path, matches }) => visibleName(path) + (mode === "count" ? `:${matches}` : ""));
  return { lines, shown: shown.length, total: files.length };
}

function contentPage(found: FoundLines, query: GrepQuery, { offset, limit, numbers }: GrepView): Page {
  const lines: string[] = [];
  let before = 0;
  let shown = 0;
  let length = 0;
  for (const file of found.files) {
    const first = offset - before;
    before += file.matches;
    if (first >= file.matches || shown === limit) continue;
    for (const { texts, matches } of groups(file, { first, count: limit - shown, query, numbers })) {
      const size = texts.reduce((sum, text) => sum + text.length + 1, 0);
      if (lines.length > 0 && length + size > BUDGET) return { lines, shown, total: found.matches };
      const isApart = query.before + query.after > 0 && lines.length > 0;
      lines.push(...isApart ? ["--"] : [], ...texts);
      length += size;
      shown += matches;
    }
  }
  return { lines, shown, total: found.matches };
}

interface Part {
  /** Number of matches to skip at the start of the file; negative: none. */
  readonly first: number;
  /** Matches that are shown. */
  readonly count: number;
  readonly query: GrepQuery;
  readonly numbers: boolean;
}

interface Group {
  readonly texts: string[];
  matches: number;
}

/** Groups of consecutive lines: the shown matches and the lines around them. */
function groups({ path, lines }: FoundFile, { first, count, query, numbers }: Part): readonly Group[] {
  const wanted = lines.filter(({ isMatch }) => isMatch).slice(Math.max(0, first), Math.max(0, first) + count);
  const isNear = ({ number }: FoundLine) =>
    wanted.some((match) => number >= match.number - query.before && number <= match.number + query.after);
  const chosen = new Set(wanted);
  const found: Group[] = [];
  let last: number | undefined;
  const hasContext = query.before + query.after > 0;
  for (const line of lines.filter((one) => one.isMatch ? chosen.has(one) : isNear(one))) {
    if (last === undefined || !hasContext || line.number !== last + 1) found.push({ texts: [], matches: 0 });
    last = line.number;
    const group = found.at(-1) as Group; // pushed for the first line
    const sign = line.isMatch ? ":" : "-";
    group.texts.push(`${visibleName(path)}${sign}${numbers ? `${line.number}${sign}` : ""}${line.text}`);
    if (line.isMatch) group.matches++;
  }
  return found;
}
