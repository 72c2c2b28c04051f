/** The tool that shows and takes back what operations changed, and the calls of the server that record it (S39). */
import { choice, text, texts } from "./kinds.ts";
import type { ToolDefinition } from "./tool_definition.ts";

/** Listed with `--undo` only. */
export const UNDO_TOOLS = [
  {
    name: "changes",
    title: "Changes of an operation",
    description: "Shows the files that an operation changed, or takes that back (`undo`, an operation too).",
    parameters: [
      text("operation_id", "Absent: lists the last."),
      choice("action", ["show", "undo"]),
      texts("paths", "Only these; undone even if changed since."),
    ],
    readOnly: false,
  },
] as const satisfies readonly ToolDefinition[];

/** Looks at the project for the first time; never listed, like those that begin and end a record. */
export const UNDO_START = "undo_start";
export const UNDO_BEGIN = "undo_begin";
export const UNDO_END = "undo_end";

/** Argument that only the server gives: the operation that a call of the tool is. */
export const UNDO_AS = "as";
/** The same: the answer is JSON. */
export const UNDO_JSON = "json";
