/** Tools for memos. */
import { UserError } from "../../../base/errors.ts";
import { unwrapOrUserError } from "../../../base/outcome.ts";
import { counted, shownValue } from "../../../base/text.ts";
import { shorten, visibleText } from "../../../base/visible_text.ts";
import type { CallOf } from "../../definition/groups.ts";
import { REPLACED_META_KEY, textResult, type ToolResult } from "../../frame/messages.ts";
import type { ToolContext } from "../../project/native_tool.ts";
import type { Project } from "../../project/project.ts";
import { newFront } from "../format/front_matter.ts";
import { boundedText, contentOf, filled, optionalLine, partLine, timestamp, wordsOf } from "../format/item_text.ts";
import { nameOf } from "../format/names.ts";
import { resolveReference } from "../format/references.ts";
import { newUlid, shortForm } from "../format/ulid.ts";
import { createNote, insistOnOwn, leftOutLine, type NoteListing, readNotes } from "../store/note_files.ts";
import { Notes, revOf } from "../store/notes.ts";
import { isWanted, LONGEST_TITLE, type Memo, readMemos } from "./memo.ts";

const DEFAULT_LIMIT = 50;
const DEFAULT_CHARS = 40_000;
/** Maximum length of a preview, characters. */
const LONGEST_PREVIEW = 100;

interface Loaded {
  readonly listing: NoteListing;
  /** The newest first. */
  readonly memos: readonly Memo[];
}

function load(project: Project): Loaded {
  const listing = readNotes(project, "memos");
  return { listing, memos: readMemos(listing) };
}

/** `memo_create`. */
export async function createMemo(args: CallOf<"memo_create">, { project }: ToolContext): Promise<ToolResult> {
  const notes = project.kept(Notes);
  const { title: wanted, content: given, tags, if_exists: how = "replace" } = args;
  const title = titleOf(wanted);
  const content = contentOf(given);
  return await notes.lock.hold(async () => {
    const { listing, memos } = load(project);
    insistOnOwn(listing);
    const old = memos.find((memo) => memo.title === title);
    if (old === undefined) return await createNew(project, memos, { title, content, tags });
    if (how === "error") {
      throw new UserError(`Cannot create memo ${shownValue(title)}: it already exists, "${old.file.path}"`);
    }
    const front = tags === undefined ? {} : { tags: filled(tags) };
    const { before, after } = await notes.change(undefined, () => {
      const now = load(project);
      const item = now.memos.find((memo) => memo.name === old.name) ?? old;
      const change = { front, ...how === "append" ? { appended: content } : { body: content } };
      return { listing: now.listing, item, change };
    });
    const word = how === "append" ? "Added to" : "Replaced";
    const result = textResult(`${word} memo ${shownValue(title)}: ${old.file.path}, rev ${await notes.show(after)}`);
    return { ...result, _meta: { [REPLACED_META_KEY]: await revOf(before) } };
  });
}

interface NewMemo {
  readonly title: string;
  readonly content: string;
  readonly tags: readonly string[] | undefined;
}

/** Two titles can lead to the same name; the later file then has a part of its id in its name. */
async function createNew(project: Project, memos: readonly Memo[], memo: NewMemo): Promise<ToolResult> {
  const { title, content, tags } = memo;
  const id = newUlid();
  const named = nameOf(title);
  const plain = named.ok && named.value !== "" ? named.value : shortForm(id);
  const isTaken = memos.some(({ name }) => name.toLowerCase() === plain);
  const name = isTaken ? `${plain.slice(0, 70)}-${shortForm(id)}` : plain;
  const front = newFront({ id, title, tags: filled(tags), created: timestamp() });
  const text = `---\n${front}---\n\n${content.trimEnd()}\n`;
  if (!createNote(project, "memos", name, text)) {
    throw new UserError(`Cannot create memo ${shownValue(title)}: its file appeared just now; call again`);
  }
  const rev = await project.kept(Notes).show(text);
  return textResult(`Created memo ${shownValue(title)}: ${project.directories.memos}/${name}.md, rev ${rev}`);
}

/** @throws {UserError} When it is empty or too long. */
function titleOf(given: string): string {
  const title = shorten(given, LONGEST_TITLE + 1);
  if (title === "") throw new UserError("The title is empty: give the memo one");
  if (title.length > LONGEST_TITLE) throw new UserError(`The title has more than ${LONGEST_TITLE} characters`);
  return title;
}

/** @throws {UserError} When there is none, or there are several. */
function given({ memos }: Loaded, { title: wanted }: CallOf<"memo_get">): Memo {
  return memos.find(({ title }) => title === wanted) ?? unwrapOrUserError(resolveReference(memos, wanted, "memo"));
}

/** `memo_get`. */
export async function getMemo(args: CallOf<"memo_get">, { project }: ToolContext): Promise<ToolResult> {
  const { title, tags, file, fault, body } = given(load(project), args);
  const facts = [
    file.path,
    `rev ${await project.kept(Notes).show(file.text ?? "")}`,
    ...tags.length > 0 ? [`tags ${tags.join(", ")}`] : [],
  ];
  const problem = fault === undefined ? "" : `! ${fault}\n`;
  return textResult(`${title}\n${facts.join(", ")}\n${problem}\n${boundedText(body, file.path)}`);
}

/** `memo_list` and `memo_search`. */
export function listMemos(
  args: CallOf<"memo_list"> & Partial<CallOf<"memo_search">>,
  { project }: ToolContext,
): ToolResult {
  const { memos, listing } = load(project);
  const { tags: wanted = [], query, limit = DEFAULT_LIMIT, offset = 0 } = args;
  const found = memos.filter((memo) => isWanted(memo, wanted, wordsOf(query)));
  const shown = found.slice(offset, offset + limit);
  const end = leftOutLine(listing) + project.kept(Notes).foreignLine(listing);
  if (shown.length === 0) {
    const { directory } = listing;
    if (memos.length === 0) return textResult(`There are no memos in ${directory}; memo_create writes one.${end}`);
    return textResult(`No such memo among ${counted(memos.length, "memo")} in ${directory}.${end}`);
  }
  const lines = shown.map(({ title, tags, fault, body }) => {
    const more = [...tags.length > 0 ? [`[${tags.join(", ")}]`] : [], ...fault === undefined ? [] : [`! ${fault}`]];
    return [title, ...more, shorten(body, LONGEST_PREVIEW)].join("  ");
  });
  return textResult(lines.join("\n") + partLine(shown.length, found.length, offset, "memo") + end);
}

/** `memo_get_all_context`. */
export function allMemos(args: CallOf<"memo_get_all_context">, { project }: ToolContext): ToolResult {
  const { tags = [], query, max_chars: most = DEFAULT_CHARS } = args;
  const found = load(project).memos.filter((memo) => isWanted(memo, tags, wordsOf(query)));
  return textResult(found.length === 0 ? "There is no such memo." : allContext(found, most));
}

/** `memo_update`. */
export async function updateMemo(args: CallOf<"memo_update">, { project }: ToolContext): Promise<ToolResult> {
  const notes = project.kept(Notes);
  const { content, append = false, new_title: title, tags, expected_rev: rev } = args;
  if (content === undefined && (append || title === undefined && tags === undefined)) {
    throw new UserError("Give something to change: content, new_title, tags");
  }
  const front = {
    ...title !== undefined && { title: titleOf(title) },
    ...tags !== undefined && { tags: filled(tags.flatMap((tag) => optionalLine(tag) ?? [])) },
  };
  return await notes.lock.hold(async () => {
    const { file, before, after } = await notes.change(rev, () => {
      const loaded = load(project);
      const item = given(loaded, args);
      const other = loaded.memos.find((memo) => memo.title === front.title && memo.name !== item.name);
      if (other !== undefined) throw new UserError(`Cannot rename it: "${other.file.path}" already has this title`);
      const text = content === undefined ? undefined : contentOf(content);
      return { listing: loaded.listing, item, change: { front, ...append ? { appended: text } : { body: text } } };
    });
    const verb = before === after ? "Nothing changed in" : "Changed";
    return textResult(`${verb} ${file.path}, rev ${await notes.show(after)}`);
  });
}

/** `memo_delete`. */
export async function deleteMemo(args: CallOf<"memo_delete">, { project }: ToolContext): Promise<ToolResult> {
  const notes = project.kept(Notes);
  const { expected_rev: rev } = args;
  return await notes.lock.hold(async () => {
    const loaded = load(project);
    const { file, title } = given(loaded, args);
    return textResult(await notes.remove(`memo ${shownValue(title)}`, loaded.listing, file, rev));
  });
}

/** Titles may take one part in this many of all characters. */
const TITLES_PART = 4;

/** Memos in their order, at most `most` characters. */
function allContext(memos: readonly Memo[], most: number): string {
  const titles = memos.map(({ title, body }) => `- ${title} (${body.length} characters)\n`);
  const reserved = Math.min(titles.reduce((sum, { length }) => sum + length, 0), Math.floor(most / TITLES_PART)) + 100;
  const shown: string[] = [];
  const left: string[] = [];
  let room = most - reserved;
  for (const [index, memo] of memos.entries()) {
    const block = `# ${memo.title}\n\n${visibleText(memo.body).trim()}\n\n`;
    if (block.length <= room) {
      shown.push(block);
      room -= block.length;
    } else left.push(titles[index] ?? "");
  }
  return `${shown.join("")}${leftOver(left, room + reserved)}`.trimEnd();
}

function leftOver(titles: readonly string[], room: number): string {
  if (titles.length === 0) return "";
  const head = `${counted(titles.length, "memo")} did not fit; memo_get reads one:\n`;
  const named: string[] = [];
  let left = room - head.length - 20;
  for (const title of titles) {
    if (title.length > left) break;
    named.push(title);
    left -= title.length;
  }
  const more = titles.length - named.length;
  return `${head}${named.join("")}${more > 0 ? `[${more} more]` : ""}`;
}
