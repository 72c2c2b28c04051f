/** Tools for issues, one Markdown file each in `.ahma/issues`. */
import { choice, EXPECTED_REV, flag, integer, LIMIT, OFFSET, REQUIRED, text, texts } from "./kinds.ts";
import type { ToolDefinition } from "./tool_definition.ts";

export const STATUSES = ["open", "in_progress", "blocked", "complete", "cancelled"] as const;
const NAME = text("name", "Name, id, or an unambiguous part.", REQUIRED);
const LABELS = texts("labels");
const DEPENDS_ON = texts("depends_on", "Issues that must be complete first.");
const ASSIGNEE = text("assignee");
const TITLE = text("title");

const PRIORITY = integer("priority", { least: 0, most: 4 });

export const ISSUE_TOOLS = [
  {
    name: "issue_create",
    title: "Create an issue",
    description: "Writes an issue as a Markdown file in the project. Without a name it gets a short id.",
    parameters: [
      text("name", "In words; becomes the name of the file."),
      text("content", "Markdown.", REQUIRED),
      TITLE,
      { ...PRIORITY, description: "0 is first, 4 last, default 2." },
      LABELS,
      DEPENDS_ON,
      ASSIGNEE,
      text("discovered_from", "Issue during which it was found."),
    ],
    readOnly: false,
    harmless: true,
  },
  {
    name: "issue_list",
    title: "List issues",
    description: "Lists open issues with status, priority, labels and what blocks them.",
    parameters: [
      texts("status", "E.g. open, in_progress, complete."),
      LABELS,
      flag("ready", "Only those that can be started."),
      flag("show_completed"),
      flag("show_active", "Default true."),
      choice("format", ["table", "json", "markdown"]),
      LIMIT,
      OFFSET,
    ],
    readOnly: true,
  },
  {
    name: "issue_show",
    title: "Show an issue",
    description: "Shows an issue with its `rev`, a fingerprint of its content.",
    parameters: [
      text("name", 'Name, id, or an unambiguous part; "next", or "current": that of the git branch.', {
        required: true,
      }),
      flag("raw", "The file as it is."),
    ],
    readOnly: true,
  },
  {
    name: "issue_next",
    title: "Next issue",
    description: "Shows the issue to do next: open, dependencies complete, lowest priority number, oldest. With " +
      "`claim` it becomes in_progress and yours in one step: two agents never get the same one.",
    parameters: [text("claim", "Your name.")],
    readOnly: false,
    harmless: true,
  },
  {
    name: "issue_update",
    title: "Change an issue",
    description: "Changes the given values; an empty text or list clears one.",
    parameters: [
      NAME,
      text("content", "Replaces the text."),
      flag("append", "Adds `content` at the end instead."),
      TITLE,
      choice("status", STATUSES),
      PRIORITY,
      LABELS,
      DEPENDS_ON,
      ASSIGNEE,
      EXPECTED_REV,
    ],
    readOnly: false,
    idempotent: false,
  },
  {
    name: "issue_mark_complete",
    title: "Complete an issue",
    description: "Sets the status to complete; says what this made ready.",
    parameters: [text("name", 'As in issue_show; "current" too.', REQUIRED)],
    readOnly: false,
    harmless: true,
    idempotent: true,
  },
  {
    name: "issue_all_complete",
    title: "Are all issues complete?",
    description: "Says how many issues are complete, and which are not.",
    parameters: [],
    readOnly: true,
  },
  {
    name: "issue_search",
    title: "Search issues",
    description: "Finds issues, also closed ones, that contain all words of the query.",
    parameters: [text("query", "", REQUIRED), LIMIT],
    readOnly: true,
  },
  {
    name: "issue_delete",
    title: "Delete an issue",
    description: "Removes the file of an issue. Cancelled issues need not be deleted.",
    parameters: [NAME, EXPECTED_REV],
    readOnly: false,
  },
] as const satisfies readonly ToolDefinition[];
