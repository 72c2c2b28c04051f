/** Tools for memos. */
import { UserError } from "../../../base/errors.ts";
import { counted, shownValue } from "../../../base/text.ts";
import { shorten } from "../../../base/visible_text.ts";
import { REPLACED_META_KEY } from "../../frame/messages.ts";
import type { ToolArguments, ToolResult } from "../../frame/messages.ts";
import type { NativeTool, ToolContext } from "../../project/native_tool.ts";
import type { Project } from "../../project/project.ts";
import { said } from "../format/answer.ts";
import type { FrontChange, Yaml } from "../format/front_matter.ts";
import { boundedText, contentOf, optionalLine, timestamp } from "../format/item_text.ts";
import { newFront } from "../format/front_matter.ts";
import { nameOf } from "../format/names.ts";
import { givenList, listOf, numberOf, textOf } from "../format/reading.ts";
import { resolveReference } from "../format/references.ts";
import { newUlid, shortForm } from "../format/ulid.ts";
import { createNote, insistOnOwn, leftOutLine, type NoteListing, readNotes, removeNote } from "../store/note_files.ts";
import { type Notes, revOf } from "../store/notes.ts";
import { allContext } from "./all_context.ts";
import { isWanted, LONGEST_TITLE, type Memo, readMemos } from "./memo.ts";

const DEFAULT_LIMIT = 50;
const DEFAULT_CHARS = 40_000;
/** Characters of a memo's first words. */
const LONGEST_PREVIEW = 100;

export function memoTools(notes: Notes): Readonly<Record<string, NativeTool>> {
  return {
    memo_create: (args, context) => create(notes, args, context),
    memo_get: (args, context) => get(notes, args, context),
    memo_list: (args, context) => list(notes, args, context),
    memo_search: (args, context) => list(notes, args, context),
    memo_get_all_context: (args, context) => all(notes, args, context),
    memo_update: (args, context) => update(notes, args, context),
    memo_delete: (args, context) => remove(notes, args, context),
  };
}

interface Loaded {
  readonly listing: NoteListing;
  /** The newest first. */
  readonly memos: readonly Memo[];
}

function load(yaml: Yaml, project: Project): Loaded {
  const listing = readNotes(project, "memos");
  return { listing, memos: readMemos(yaml, listing) };
}

async function create(notes: Notes, args: ToolArguments, { project }: ToolContext): Promise<ToolResult> {
  const yaml = await notes.yaml();
  const title = titleOf(textOf(args, "title") ?? "");
  const content = contentOf(textOf(args, "content") ?? "");
  const tags = givenList(args, "tags");
  return await notes.lock.hold(project, async () => {
    const { listing, memos } = load(yaml, project);
    insistOnOwn(listing);
    const old = memos.find((memo) => memo.title === title);
    if (old === undefined) return await createNew(notes, project, { title, content, tags: tags ?? [], memos, yaml });
    const how = textOf(args, "if_exists") ?? "replace";
    if (how === "error") {
      throw new UserError(`Cannot create memo ${shownValue(title)}: it already exists, "${old.file.path}"`);
    }
    const front: FrontChange = tags === undefined ? {} : { tags: tags.length > 0 ? tags : undefined };
    const { before, after } = await notes.change(project, undefined, () => {
      const now = load(yaml, project);
      const { file, fault } = now.memos.find((memo) => memo.name === old.name) ?? old;
      const change = { front, ...how === "append" ? { appended: content } : { body: content } };
      return { listing: now.listing, wanted: { file, fault, change } };
    });
    const word = how === "append" ? "Added to" : "Replaced";
    const result = said(`${word} memo ${shownValue(title)}: ${old.file.path}, rev ${await notes.show(after)}`);
    return { ...result, _meta: { [REPLACED_META_KEY]: await revOf(before) } };
  });
}

interface NewMemo {
  readonly title: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly memos: readonly Memo[];
  readonly yaml: Yaml;
}

/** Two titles can have one name: the later file has a part of its id in its name. */
async function createNew(notes: Notes, project: Project, memo: NewMemo): Promise<ToolResult> {
  const { title, content, tags, memos, yaml } = memo;
  const id = newUlid();
  const named = nameOf(title);
  const plain = named.ok && named.value !== "" ? named.value : shortForm(id);
  const isTaken = memos.some(({ name }) => name.toLowerCase() === plain);
  const name = isTaken ? `${plain.slice(0, 70)}-${shortForm(id)}` : plain;
  const front = newFront(yaml, { id, title, tags: tags.length > 0 ? tags : undefined, created: timestamp() });
  const text = `---\n${front}---\n\n${content.trimEnd()}\n`;
  if (!createNote(project, "memos", name, text)) {
    throw new UserError(`Cannot create memo ${shownValue(title)}: its file appeared just now; call again`);
  }
  return said(
    `Created memo ${shownValue(title)}: ${project.directories.memos}/${name}.md, rev ${await notes.show(text)}`,
  );
}

/** @throws {UserError} When it is empty or too long. */
function titleOf(given: string): string {
  const title = shorten(given, LONGEST_TITLE + 1);
  if (title === "") throw new UserError("The title is empty: give the memo one");
  if (title.length > LONGEST_TITLE) throw new UserError(`The title has more than ${LONGEST_TITLE} characters`);
  return title;
}

/** @throws {UserError} When there is none, or there are several. */
function given({ memos }: Loaded, args: ToolArguments): Memo {
  const wanted = textOf(args, "title") ?? "";
  const exact = memos.find(({ title }) => title === wanted);
  if (exact !== undefined) return exact;
  const found = resolveReference(memos, wanted, "memo");
  if (!found.ok) throw new UserError(found.problem);
  return found.value;
}

async function get(notes: Notes, args: ToolArguments, { project }: ToolContext): Promise<ToolResult> {
  const loaded = load(await notes.yaml(), project);
  const { title, tags, file, fault, body } = given(loaded, args);
  const facts = [
    file.path,
    `rev ${await notes.show(file.text ?? "")}`,
    ...tags.length > 0 ? [`tags ${tags.join(", ")}`] : [],
  ];
  const problem = fault === undefined ? "" : `! ${fault}\n`;
  return said(`${title}\n${facts.join(", ")}\n${problem}\n${boundedText(body, file.path)}`);
}

async function list(notes: Notes, args: ToolArguments, { project }: ToolContext): Promise<ToolResult> {
  const { memos, listing } = load(await notes.yaml(), project);
  const found = memos.filter((memo) => isWanted(memo, { tags: listOf(args, "tags"), words: wordsOf(args) }));
  const offset = numberOf(args, "offset") ?? 0;
  const shown = found.slice(offset, offset + (numberOf(args, "limit") ?? DEFAULT_LIMIT));
  const end = leftOutLine(listing) + notes.foreignLine(listing);
  if (shown.length === 0) {
    if (memos.length === 0) return said(`There are no memos in ${listing.directory}; memo_create writes one.${end}`);
    return said(`No such memo among ${counted(memos.length, "memo")} in ${listing.directory}.${end}`);
  }
  const lines = shown.map(({ title, tags, fault, body }) => {
    const more = [...tags.length > 0 ? [`[${tags.join(", ")}]`] : [], ...fault === undefined ? [] : [`! ${fault}`]];
    return [title, ...more, shorten(body, LONGEST_PREVIEW)].join("  ");
  });
  const rest = offset + shown.length < found.length ? `; offset ${offset + shown.length} shows more` : "";
  const part = shown.length < found.length ? `\n[${shown.length} of ${counted(found.length, "memo")}${rest}]` : "";
  return said(lines.join("\n") + part + end);
}

function wordsOf(args: ToolArguments): readonly string[] {
  return (textOf(args, "query") ?? "").toLowerCase().split(/\s+/).filter((word) => word !== "");
}

async function all(notes: Notes, args: ToolArguments, { project }: ToolContext): Promise<ToolResult> {
  const { memos } = load(await notes.yaml(), project);
  const found = memos.filter((memo) => isWanted(memo, { tags: listOf(args, "tags"), words: wordsOf(args) }));
  if (found.length === 0) return said("There is no such memo.");
  return said(allContext(found, numberOf(args, "max_chars") ?? DEFAULT_CHARS));
}

async function update(notes: Notes, args: ToolArguments, { project }: ToolContext): Promise<ToolResult> {
  const yaml = await notes.yaml();
  const content = textOf(args, "content");
  const appends = args["append"] === true;
  const title = textOf(args, "new_title");
  const tags = givenList(args, "tags");
  if (content === undefined && (appends || title === undefined && tags === undefined)) {
    throw new UserError("Nothing is given to change: content, new_title, tags");
  }
  const front = {
    ...title !== undefined && { title: titleOf(title) },
    ...tags !== undefined && { tags: tags.length > 0 ? tags.flatMap((tag) => optionalLine(tag) ?? []) : undefined },
  };
  return await notes.lock.hold(project, async () => {
    const { file, before, after } = await notes.change(project, textOf(args, "expected_rev"), () => {
      const loaded = load(yaml, project);
      const { file, fault, name } = given(loaded, args);
      const other = loaded.memos.find((memo) => memo.title === front.title && memo.name !== name);
      if (other !== undefined) throw new UserError(`Cannot rename it: "${other.file.path}" has the title already`);
      const text = content === undefined ? undefined : contentOf(content);
      const change = { front, ...appends ? { appended: text } : { body: text } };
      return { listing: loaded.listing, wanted: { file, fault, change } };
    });
    const rev = await notes.show(after);
    return said(`${before === after ? "Nothing changed in" : "Changed"} ${file.path}, rev ${rev}`);
  });
}

async function remove(notes: Notes, args: ToolArguments, { project }: ToolContext): Promise<ToolResult> {
  const yaml = await notes.yaml();
  return await notes.lock.hold(project, async () => {
    const loaded = load(yaml, project);
    insistOnOwn(loaded.listing);
    const { file, title } = given(loaded, args);
    const expected = textOf(args, "expected_rev");
    const rev = await revOf(file.text ?? "");
    if (expected !== undefined && expected !== rev) {
      throw new UserError(
        `Cannot delete memo ${shownValue(title)}: it is rev ${rev} now, not ${expected}; read it again`,
      );
    }
    removeNote(project, file);
    return said(`Deleted ${file.path} (rev ${rev})`);
  });
}
