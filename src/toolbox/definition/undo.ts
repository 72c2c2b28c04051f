/** The tool that shows, takes back and puts in place what operations changed or would change (S39, S40), and calls of the server. */
import { choice, text, texts } from "./kinds.ts";
import type { ToolDefinition } from "./tool_definition.ts";

/** What is kept: by `--undo` what operations changed, by `--preview` what they would have changed. */
export interface KeptChanges {
  readonly records: boolean;
  readonly previews: boolean;
}

export const CHANGES = "changes";

/** Listed with `--undo` and with `--preview`, for what each makes possible. */
export function changesTool({ records, previews }: KeptChanges): ToolDefinition {
  const took = "Shows the files that an operation changed, or takes that back (`undo`, an operation too).";
  const would = "Shows what a previewed command would change; `apply` puts that in place, `drop` forgets it.";
  return {
    name: CHANGES,
    title: "Changes of an operation",
    description: [...records ? [took] : [], ...previews ? [would] : []].join(" "),
    parameters: [
      text("operation_id", "Absent: lists the last."),
      choice("action", ["show", ...records ? ["undo"] : [], ...previews ? ["apply", "drop"] : []]),
      texts("paths", records ? "Only these; undone even if changed since." : "Only these."),
    ],
    readOnly: false,
  };
}

/** Looks at the project for the first time; never listed, like those that begin and end a record. */
export const UNDO_START = "undo_start";
export const UNDO_BEGIN = "undo_begin";
export const UNDO_END = "undo_end";

/** Makes the layers of a view, measures all, reads or removes those of an ended command, and removes all; never listed. */
export const PREVIEW_BEGIN = "preview_begin";
export const PREVIEW_BYTES = "preview_bytes";
export const PREVIEW_LOOK = "preview_look";
export const PREVIEW_DROP = "preview_drop";
export const PREVIEW_CLOSE = "preview_close";

/** Argument that only the server gives: the operation that a call of the tool is. */
export const UNDO_AS = "as";
/** The same: the answer is JSON. */
export const UNDO_JSON = "json";
