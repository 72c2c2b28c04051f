/** The code of the tools for issues, memos, tasks and questions, and of the server's own requests for notes. */
import { UserError } from "../../base/errors.ts";
import { shownValue } from "../../base/text.ts";
import { LIST_NOTES, MIGRATE, READ_NOTE, STORE_ANSWER } from "../definition/question.ts";
import { textResult, type ToolResult } from "../frame/messages.ts";
import type { NativeTool, ToolContext } from "../project/native_tool.ts";
import { completeIssue, deleteIssue, nextIssue, updateIssue } from "./issues/change_tools.ts";
import { createIssue } from "./issues/create_issue.ts";
import { readIssue } from "./issues/issue.ts";
import { allComplete, listIssues, searchIssues, showIssue } from "./issues/read_tools.ts";
import { readMemos } from "./memos/memo.ts";
import { allMemos, createMemo, deleteMemo, getMemo, listMemos, updateMemo } from "./memos/tools.ts";
import { migrateNotes } from "./migrate/migrate.ts";
import { questionSummary, storeAnswer } from "./question/tools.ts";
import { type NoteKind, readNotes } from "./store/note_files.ts";
import { completeTask, createTask, listTasks, showTask } from "./todo/tools.ts";

const MOST_LISTED = 1_000;

export const TOOLS: Readonly<Record<string, NativeTool>> = {
  issue_create: createIssue,
  issue_list: listIssues,
  issue_show: showIssue,
  issue_next: nextIssue,
  issue_update: updateIssue,
  issue_mark_complete: completeIssue,
  issue_all_complete: allComplete,
  issue_search: searchIssues,
  issue_delete: deleteIssue,
  memo_create: createMemo,
  memo_get: getMemo,
  memo_list: listMemos,
  memo_search: listMemos,
  memo_get_all_context: allMemos,
  memo_update: updateMemo,
  memo_delete: deleteMemo,
  todo_create: createTask,
  todo_show: showTask,
  todo_list: listTasks,
  todo_mark_complete: completeTask,
  question_summary: questionSummary,
  [STORE_ANSWER]: storeAnswer,
  [MIGRATE]: migrateNotes,
  [LIST_NOTES]: listNotes,
  [READ_NOTE]: readNote,
};

interface NoteArguments {
  readonly kind: NoteKind;
  readonly name?: string;
}

/** Names and titles of all notes of a kind, as JSON. */
function listNotes({ kind }: NoteArguments, { project }: ToolContext): ToolResult {
  const listing = readNotes(project, kind);
  const items = kind === "issues" ? listing.files.map(readIssue) : readMemos(listing);
  return textResult(JSON.stringify(items.slice(0, MOST_LISTED).map(({ name, title }) => ({ name, title }))));
}

/** The raw file of a note. @throws {UserError} When it cannot be read. */
function readNote({ kind, name }: NoteArguments, { project }: ToolContext): ToolResult {
  const file = readNotes(project, kind).files.find((one) => one.name === name);
  if (file?.text !== undefined) return textResult(file.text);
  throw new UserError(`Cannot read ${shownValue(name)}: ${file?.problem ?? "it is not there"}`);
}
