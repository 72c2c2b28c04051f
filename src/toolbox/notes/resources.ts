/** The server's requests to notes for resources; not listed as a tool. */
import { UserError } from "../../base/errors.ts";
import { shownValue } from "../../base/text.ts";
import { LIST_NOTES, READ_NOTE } from "../definition/question.ts";
import type { ToolArguments } from "../frame/messages.ts";
import type { NativeTool } from "../project/native_tool.ts";
import { said } from "./format/answer.ts";
import { readIssue } from "./issues/issue.ts";
import { readMemos } from "./memos/memo.ts";
import { type NoteKind, readNotes } from "./store/note_files.ts";
import type { Notes } from "./store/notes.ts";

const MOST_LISTED = 1_000;

export function resourceTools(notes: Notes): Readonly<Record<string, NativeTool>> {
  return {
    [LIST_NOTES]: async (args, { project }) => {
      const [yaml, kind] = [await notes.yaml(), kindOf(args)];
      const listing = readNotes(project, kind);
      const items = kind === "issues" ? listing.files.map((file) => readIssue(yaml, file)) : readMemos(yaml, listing);
      return said(JSON.stringify(items.slice(0, MOST_LISTED).map(({ name, title }) => ({ name, title }))));
    },
    [READ_NOTE]: (args, { project }) => {
      const file = readNotes(project, kindOf(args)).files.find(({ name }) => name === args["name"]);
      if (file?.text !== undefined) return Promise.resolve(said(file.text));
      return Promise.reject(
        new UserError(`Cannot read ${shownValue(args["name"])}: ${file?.problem ?? "it is not there"}`),
      );
    },
  };
}

function kindOf(args: ToolArguments): NoteKind {
  return args["kind"] === "memos" ? "memos" : "issues";
}
