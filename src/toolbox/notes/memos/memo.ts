/** A memo as its file says it. Pure. */
import { compareText } from "../../../base/text.ts";
import { shorten } from "../../../base/visible_text.ts";
import { hasConflict } from "../format/conflict.ts";
import { readFront, splitText, type Yaml } from "../format/front_matter.ts";
import type { NoteFile, NoteListing } from "../store/note_files.ts";

export const LONGEST_TITLE = 255;
const MOST_TAGS = 32;
const LONGEST_TAG = 80;

export interface Memo {
  readonly name: string;
  readonly file: NoteFile;
  readonly id: string | undefined;
  readonly title: string;
  readonly tags: readonly string[];
  /** Why it is never rewritten; undefined: it may be. */
  readonly fault: string | undefined;
  readonly body: string;
}

/** All memos, the newest first. */
export function readMemos(yaml: Yaml, { files, isForeign }: NoteListing): readonly Memo[] {
  const titleOf = isForeign ? foreignTitles(files.map(({ name }) => name)) : (name: string) => name;
  return files.map((file) => readMemo(yaml, file, titleOf(file.name)))
    .toSorted((one, other) => other.file.writtenAt - one.file.writtenAt || compareText(one.title, other.title));
}

/** `title`: where the file says none. */
function readMemo(yaml: Yaml, file: NoteFile, title: string): Memo {
  const { name, text = "", problem } = file;
  const { front, body } = splitText(text);
  const read = readFront(yaml, front);
  const values = read.ok ? read.value : {};
  const conflict = hasConflict(text) ? "git left a conflict in it" : undefined;
  const tags = typeof values["tags"] === "object" ? values["tags"] : [];
  return {
    name,
    file,
    id: typeof values["id"] === "string" ? values["id"] : undefined,
    title: shorten(String(values["title"] ?? title), LONGEST_TITLE) || name,
    tags: tags.slice(0, MOST_TAGS).map((tag) => shorten(tag, LONGEST_TAG)),
    fault: problem ?? conflict ?? (read.ok ? undefined : read.problem),
    body,
  };
}

/**
 * Titles of memos of the other program, which wrote a blank as `_`: it is one again, but for names with both, and where
 * there is a file of the other name too.
 */
export function foreignTitles(names: readonly string[]): (name: string) => string {
  const hasBoth = names.some((name) => name.includes("_") && name.includes(" "));
  const known = new Set(names);
  return (name) => {
    const title = name.replaceAll("_", " ");
    return hasBoth || known.has(title) ? name : title;
  };
}

/** Whether a memo has one of the tags, and all words; empty: any. */
export function isWanted(
  memo: Memo,
  { tags, words }: { readonly tags: readonly string[]; readonly words: readonly string[] },
): boolean {
  const text = words.length === 0 ? "" : `${memo.title}\n${memo.tags.join("\n")}\n${memo.body}`.toLowerCase();
  return tags.every((tag) => memo.tags.includes(tag)) && words.every((word) => text.includes(word));
}
