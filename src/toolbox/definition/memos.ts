/** Tools for memos, one Markdown file each in `.ahma/memos`, and for the list of tasks. */
import { choice, EXPECTED_REV, flag, integer, LIMIT, OFFSET, REQUIRED, text, texts } from "./kinds.ts";
import type { ToolDefinition } from "./tool_definition.ts";

const TITLE = text("title", "", REQUIRED);
const TAGS = texts("tags");

export const MEMO_TOOLS = [
  {
    name: "memo_create",
    title: "Write a memo",
    description: "Stores what to remember, as a Markdown file in the project. Replaces a memo with the same title.",
    parameters: [
      TITLE,
      text("content", "Markdown.", REQUIRED),
      TAGS,
      choice("if_exists", ["replace", "append", "error"]),
    ],
    readOnly: false,
    idempotent: true,
  },
  {
    name: "memo_get",
    title: "Read a memo",
    description: "Reads a memo by its title, with its `rev`.",
    parameters: [TITLE],
    readOnly: true,
  },
  {
    name: "memo_list",
    title: "List memos",
    description: "Lists memos, newest first, with their first words.",
    parameters: [TAGS, LIMIT, OFFSET],
    readOnly: true,
  },
  {
    name: "memo_get_all_context",
    title: "Read all memos",
    description: "Returns the text of all memos, newest first, and the titles of those that do not fit.",
    parameters: [
      integer("max_chars", { least: 1000, most: 400_000 }, "Default 40000."),
      TAGS,
      text("query", "Only memos with all these words."),
    ],
    readOnly: true,
  },
  {
    name: "memo_search",
    title: "Search memos",
    description: "Finds memos that contain all words of the query.",
    parameters: [text("query", "", REQUIRED), LIMIT],
    readOnly: true,
  },
  {
    name: "memo_update",
    title: "Change a memo",
    description: "Changes the given parts of an existing memo.",
    parameters: [
      TITLE,
      text("content", "Replaces the text."),
      flag("append", "Adds `content` at the end instead."),
      text("new_title"),
      TAGS,
      EXPECTED_REV,
    ],
    readOnly: false,
  },
  {
    name: "memo_delete",
    title: "Delete a memo",
    description: "Removes the file of a memo.",
    parameters: [TITLE, EXPECTED_REV],
    readOnly: false,
  },
] as const satisfies readonly ToolDefinition[];

export const TODO_TOOLS = [
  {
    name: "todo_create",
    title: "Add a task",
    description: "Adds a task to the list of this work; after a finished list it starts a new one.",
    parameters: [text("task", "", REQUIRED), text("context", "What helps to do it.")],
    readOnly: false,
    harmless: true,
  },
  {
    name: "todo_show",
    title: "Show a task",
    description: "Shows a task with its context.",
    parameters: [text("item", 'Its id, or "next".', REQUIRED)],
    readOnly: true,
  },
  {
    name: "todo_list",
    title: "List tasks",
    description: "Lists all tasks, also done ones.",
    parameters: [],
    readOnly: true,
  },
  {
    name: "todo_mark_complete",
    title: "Complete a task",
    description: "Marks a task as done and shows the next one.",
    parameters: [text("id", 'Its id, or "next".', REQUIRED)],
    readOnly: false,
    harmless: true,
    idempotent: true,
  },
] as const satisfies readonly ToolDefinition[];
