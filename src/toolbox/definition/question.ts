/** Tools that ask the user. */
import { integer, REQUIRED, text, texts } from "./kinds.ts";
import type { ToolDefinition } from "./tool_definition.ts";

export const QUESTION_TOOLS = [
  {
    name: "question_ask",
    title: "Ask the user",
    description: "Asks the user in a form of the client and returns the answer. Do not ask for secrets.",
    parameters: [
      text("question", "", REQUIRED),
      texts("choices", "Answers to choose from."),
      text("default"),
    ],
    readOnly: false,
    harmless: true,
    // A worker cannot talk to a client.
    place: "server",
  },
  {
    name: "question_summary",
    title: "Answers of the user",
    description: "Lists what the user was asked in this project, newest first, with the answers.",
    parameters: [integer("limit", { least: 1, most: 100 }, "Default 20.")],
    readOnly: true,
  },
] as const satisfies readonly ToolDefinition[];

/** Internal tools that only the server calls; they are never listed. */
export const STORE_ANSWER = "question_store";
export const MIGRATE = "notes_migrate";
export const LIST_NOTES = "notes_list";
export const READ_NOTE = "notes_read";
export const COMPLETE_PATH = "path_complete";
