/** Questions to the user and their answers, one file each, which git ignores. */
import { UserError } from "../../../base/errors.ts";
import { shorten } from "../../../base/visible_text.ts";
import type { CallOf } from "../../definition/groups.ts";
import { textResult, type ToolResult } from "../../frame/messages.ts";
import type { ToolContext } from "../../project/native_tool.ts";
import { type FrontValues, newFront, readFront } from "../format/front_matter.ts";
import { timestamp } from "../format/item_text.ts";
import { newUlid } from "../format/ulid.ts";
import { inMadeFolder, NoteFolder } from "../store/note_folder.ts";
import { Notes } from "../store/notes.ts";
import { STATE } from "../store/project_lock.ts";

const DIRECTORY = `${STATE}/questions`;
const ENDING = ".yaml";
const DEFAULT_LIMIT = 20;
const LONGEST_LINE = 1_000;
const NONE = "The user was asked nothing in this project.";

interface StoredAnswer {
  readonly question: string;
  readonly choices?: readonly string[];
  readonly action: string;
  readonly answer?: string;
}

/** Stores an answer that the server received. */
export async function storeAnswer(given: StoredAnswer, { project }: ToolContext): Promise<ToolResult> {
  const { question, choices, action, answer } = given;
  const text = newFront({ asked: timestamp(), question, choices, action, answer });
  return await project.kept(Notes).lock.hold(() => {
    if (inMadeFolder(project, DIRECTORY, (folder) => folder.create(newUlid() + ENDING, text))) {
      return textResult("Kept.");
    }
    throw new UserError("Cannot store the answer: its file already exists");
  });
}

/** `question_summary`. */
export function questionSummary(
  { limit = DEFAULT_LIMIT }: CallOf<"question_summary">,
  { project }: ToolContext,
): ToolResult {
  using folder = NoteFolder.open(project, DIRECTORY);
  // File names are ids, which sort by time.
  const names = folder?.names().filter((name) => name.endsWith(ENDING)).toReversed() ?? [];
  const lines = names.slice(0, limit).map((name) => {
    const found = folder?.read(name);
    const read = found?.text === undefined ? undefined : readFront(found.text);
    return read?.ok === true ? line(read.value) : `${name}: it cannot be read`;
  });
  const more = names.length > lines.length ? `\n[${names.length - lines.length} older]` : "";
  return textResult(lines.length === 0 ? NONE : lines.join("\n") + more);
}

function line({ asked = "", question = "", action, answer }: FrontValues): string {
  const reply = answer === undefined ? action === "decline" ? "declined" : "no answer" : String(answer);
  return `${asked} ${shorten(String(question), LONGEST_LINE)} -> ${shorten(reply, LONGEST_LINE)}`;
}
