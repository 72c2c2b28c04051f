/** Questions to the user and their answers, one file each, which git ignores. */
import { UserError } from "../../../base/errors.ts";
import { shorten } from "../../../base/visible_text.ts";
import { STORE_ANSWER } from "../../definition/question.ts";
import type { ToolArguments, ToolResult } from "../../frame/messages.ts";
import type { NativeTool } from "../../project/native_tool.ts";
import type { Project } from "../../project/project.ts";
import { said } from "../format/answer.ts";
import { type FrontValues, newFront, readFront, type Yaml } from "../format/front_matter.ts";
import { timestamp } from "../format/item_text.ts";
import { numberOf, textOf } from "../format/reading.ts";
import { newUlid } from "../format/ulid.ts";
import { NoteFolder } from "../store/note_folder.ts";
import type { Notes } from "../store/notes.ts";
import { STATE } from "../store/project_lock.ts";

const DIRECTORY = `${STATE}/questions`;
const ENDING = ".yaml";
const DEFAULT_LIMIT = 20;
const LONGEST_LINE = 1_000;

export function questionTools(notes: Notes): Readonly<Record<string, NativeTool>> {
  return {
    question_summary: async (args, { project }) =>
      summary(await notes.yaml(), project, numberOf(args, "limit") ?? DEFAULT_LIMIT),
    [STORE_ANSWER]: async (args, { project }) => {
      const yaml = await notes.yaml();
      return await notes.lock.hold(project, () => store(yaml, project, args));
    },
  };
}

function store(yaml: Yaml, project: Project, args: ToolArguments): ToolResult {
  const choices = args["choices"];
  const text = newFront(yaml, {
    asked: timestamp(),
    question: textOf(args, "question"),
    choices: Array.isArray(choices) ? choices.map(String) : undefined,
    action: textOf(args, "action"),
    answer: textOf(args, "answer"),
  });
  const folder = NoteFolder.make(project, DIRECTORY);
  try {
    if (!folder.create(newUlid() + ENDING, text)) {
      throw new UserError("Cannot store the answer: its file already exists");
    }
    return said("Kept.");
  } finally {
    folder[Symbol.dispose]();
  }
}

function summary(yaml: Yaml, project: Project, limit: number): ToolResult {
  const folder = NoteFolder.open(project, DIRECTORY);
  if (folder === undefined) return said("The user was asked nothing in this project.");
  try {
    // Their names are ids, which sort by time.
    const names = folder.names().filter((name) => name.endsWith(ENDING)).toReversed();
    const lines = names.slice(0, limit).map((name) => {
      const found = folder.read(name);
      const read = found !== undefined && "text" in found ? readFront(yaml, found.text) : undefined;
      return read?.ok === true ? line(read.value) : `${name}: it cannot be read`;
    });
    const more = names.length > lines.length ? `\n[${names.length - lines.length} older]` : "";
    return said(lines.length === 0 ? "The user was asked nothing in this project." : lines.join("\n") + more);
  } finally {
    folder[Symbol.dispose]();
  }
}

function line({ asked = "", question = "", action, answer }: FrontValues): string {
  const reply = answer === undefined ? action === "decline" ? "declined" : "no answer" : String(answer);
  return `${asked} ${shorten(String(question), LONGEST_LINE)} -> ${shorten(reply, LONGEST_LINE)}`;
}
