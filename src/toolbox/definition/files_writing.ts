/** Tools that change files of the project. */
import { ENCODINGS } from "./encodings.ts";
import { PATH } from "./files_reading.ts";
import type { Parameter } from "./parameters.ts";
import type { ToolDefinition } from "./tool_definition.ts";

const OLD: Parameter = {
  name: "old_string",
  type: { kind: "text" },
  description: "Exact text, unique in the file; empty only for a new file.",
  aliases: ["old_text", "oldText", "find"],
};

const NEW: Parameter = {
  name: "new_string",
  type: { kind: "text" },
  description: "",
  aliases: ["new_text", "newText", "replace"],
};

const WHICH: readonly Parameter[] = [
  { name: "replace_all", type: { kind: "flag" }, description: "" },
  { name: "occurrence", type: { kind: "integer", least: 1 }, description: "Which of several, from 1." },
];

const COMMON: readonly Parameter[] = [
  { name: "expected_rev", type: { kind: "text" }, description: "Fails when the content has another `rev`." },
  { name: "dry_run", type: { kind: "flag" }, description: "Only shows the diff." },
  { name: "encoding", type: { kind: "choice", values: ENCODINGS }, description: "Where the file does not tell it." },
];

export const WRITING_TOOLS: readonly ToolDefinition[] = [
  {
    name: "files_edit",
    title: "Edit a file",
    description: "Replaces `old_string` by `new_string` in a file, or makes all `edits` or none of them. Tolerates " +
      "other line endings, trailing blanks, indentation and quotation marks where one place alone matches, and says " +
      "so. Line endings, encoding, mode and links stay. Answers with the diff and the new `rev`.",
    parameters: [
      PATH,
      OLD,
      NEW,
      ...WHICH,
      {
        name: "edits",
        type: { kind: "objects", of: [{ ...OLD, required: true }, { ...NEW, required: true }, ...WHICH] },
        description: "Several, applied in order.",
      },
      ...COMMON,
    ],
    readOnly: false,
  },
  {
    name: "files_write",
    title: "Write a file",
    description: "Creates a file, with its directories, or replaces its content as a whole, at once for all readers. " +
      "Answers with the diff and the new `rev`.",
    parameters: [
      PATH,
      { name: "content", type: { kind: "text" }, description: "", required: true },
      { name: "append", type: { kind: "flag" }, description: "Adds to the end." },
      { name: "create_only", type: { kind: "flag" }, description: "Fails when the file exists." },
      ...COMMON,
    ],
    readOnly: false,
  },
];

/** Listed by its own group only: it is for models that are trained on its format. */
export const PATCH_TOOLS: readonly ToolDefinition[] = [
  {
    name: "files_patch",
    title: "Patch files",
    description: 'Applies a patch in the envelope "*** Begin Patch" ... "*** End Patch" with "*** Add File: ", ' +
      '"*** Update File: " (and "*** Move to: ", "@@ line before") and "*** Delete File: " to all its files or to none ' +
      "of them. Answers with the diffs and the new `rev`s.",
    parameters: [
      { name: "patch", type: { kind: "text" }, description: "", required: true, aliases: ["input"] },
      { name: "dry_run", type: { kind: "flag" }, description: "Only shows the diffs." },
    ],
    readOnly: false,
  },
];
