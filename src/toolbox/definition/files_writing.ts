/** Tools that change files of the project. */
import { choice, EXPECTED_REV, flag, integer, objects, REQUIRED, text } from "./kinds.ts";
import { PATH } from "./files_reading.ts";
import type { ToolDefinition } from "./tool_definition.ts";

/** Encodings of text files that native tools change. */
export const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "windows-1252"] as const;

export type Encoding = typeof ENCODINGS[number];

const OLD = text("old_string", "Exact text, unique in the file; empty only for a new file.", {
  aliases: ["old_text", "oldText", "find"],
});

const NEW = text("new_string", "", { aliases: ["new_text", "newText", "replace"] });

const WHICH = [
  flag("replace_all"),
  integer("occurrence", { least: 1 }, "Which of several, from 1."),
] as const;

const COMMON = [
  EXPECTED_REV,
  flag("dry_run", "Only shows the diff."),
  choice("encoding", ENCODINGS, "If the file does not show it."),
] as const;

export const WRITING_TOOLS = [
  {
    name: "files_edit",
    title: "Edit a file",
    description: "Replaces `old_string` with `new_string` in a file, or makes all `edits` or none. Tolerates other " +
      "line endings, trailing blanks, indentation and quotation marks if only one place matches, and says so. Keeps " +
      "line endings, encoding, mode and links. Answers with the diff and the new `rev`.",
    parameters: [
      PATH,
      OLD,
      NEW,
      ...WHICH,
      objects("edits", [{ ...OLD, ...REQUIRED }, { ...NEW, ...REQUIRED }, ...WHICH], "Several, applied in order."),
      ...COMMON,
    ],
    readOnly: false,
  },
  {
    name: "files_write",
    title: "Write a file",
    description: "Creates a file, with its directories, or replaces its whole content in one atomic step. " +
      "Answers with the diff and the new `rev`.",
    parameters: [
      PATH,
      text("content", "", REQUIRED),
      flag("append", "Adds to the end."),
      flag("create_only", "Fails if the file exists."),
      ...COMMON,
    ],
    readOnly: false,
  },
] as const satisfies readonly ToolDefinition[];

/** Listed only by its own group, for models that are trained on its format. */
export const PATCH_TOOLS = [
  {
    name: "files_patch",
    title: "Patch files",
    description: 'Applies a patch in the envelope "*** Begin Patch" ... "*** End Patch" with "*** Add File: ", ' +
      '"*** Update File: " (and "*** Move to: ", "@@ line before") and "*** Delete File: " to all its files or to none ' +
      "of them. Answers with the diffs and the new `rev`s.",
    parameters: [
      text("patch", "", { ...REQUIRED, aliases: ["input"] }),
      flag("dry_run", "Only shows the diffs."),
    ],
    readOnly: false,
  },
] as const satisfies readonly ToolDefinition[];
