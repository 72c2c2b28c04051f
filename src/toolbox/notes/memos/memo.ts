/** A memo, parsed from its file. Pure. */
import { compareText } from "../../../base/text.ts";
import { shorten } from "../../../base/visible_text.ts";
import { type ItemText, readItem } from "../format/item_text.ts";
import type { NoteFile, NoteListing } from "../store/note_files.ts";

export const LONGEST_TITLE = 255;
const MOST_TAGS = 32;
const LONGEST_TAG = 80;

export interface Memo extends Omit<ItemText, "values"> {
  readonly name: string;
  readonly file: NoteFile;
  readonly id: string | undefined;
  readonly title: string;
  readonly tags: readonly string[];
}

/** All memos, the newest first. */
export function readMemos({ files, isForeign }: NoteListing): readonly Memo[] {
  const titleOf = isForeign ? foreignTitles(files.map(({ name }) => name)) : (name: string) => name;
  return files.map((file) => readMemo(file, titleOf(file.name)))
    .toSorted((one, other) => other.file.writtenAt - one.file.writtenAt || compareText(one.title, other.title));
}

/** `title`: used if the file has none. */
function readMemo(file: NoteFile, title: string): Memo {
  const { name } = file;
  const { values, body, fault } = readItem(file);
  const tags = typeof values["tags"] === "object" ? values["tags"] : [];
  return {
    name,
    file,
    id: typeof values["id"] === "string" ? values["id"] : undefined,
    title: shorten(String(values["title"] ?? title), LONGEST_TITLE) || name,
    tags: tags.slice(0, MOST_TAGS).map((tag) => shorten(tag, LONGEST_TAG)),
    fault,
    body,
  };
}

/** Titles of the other program's memos: `_` becomes a blank, unless a name has both or both files exist. */
export function foreignTitles(names: readonly string[]): (name: string) => string {
  const hasBoth = names.some((name) => name.includes("_") && name.includes(" "));
  const known = new Set(names);
  return (name) => {
    const title = name.replaceAll("_", " ");
    return hasBoth || known.has(title) ? name : title;
  };
}

/** Whether a memo has all the tags and all words; empty lists match any memo. */
export function isWanted({ title, tags, body }: Memo, wanted: readonly string[], words: readonly string[]): boolean {
  const text = words.length === 0 ? "" : `${title}\n${tags.join("\n")}\n${body}`.toLowerCase();
  return wanted.every((tag) => tags.includes(tag)) && words.every((word) => text.includes(word));
}
