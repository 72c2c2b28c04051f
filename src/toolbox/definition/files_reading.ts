/** Tools that read files of the project. */
import { choice, flag, integer, REQUIRED, text, texts } from "./kinds.ts";
import type { ToolDefinition } from "./tool_definition.ts";

/** The file that a call is about. */
export const PATH = text("path", "Relative to the project, or absolute.", {
  ...REQUIRED,
  aliases: ["file_path", "absolute_path"],
});

export const DIRECTORY = text("path", "A directory; absent: the project.", { aliases: ["directory"] });

const RESPECT_GIT_IGNORE = flag("respect_git_ignore", "false: also ignored files.");

export const READING_TOOLS = [
  {
    name: "files_read",
    title: "Read a file",
    description:
      "Reads text with line numbers, at most 2,000 lines and 48 KiB; the last line names the offset of the " +
      "rest, the first one size and `rev`, a fingerprint of the content. Also shows images, notebooks and PDF.",
    parameters: [
      PATH,
      integer("offset", {}, "First line, from 1; a negative number counts from the end."),
      integer("limit", { least: 1, most: 100_000 }, "Number of lines."),
      flag("line_numbers", "false: the text exactly as it is."),
      text("pages", 'Of a PDF, e.g. "1-5".'),
      choice("encoding", ["base64"], "For bytes, up to 1 MiB."),
    ],
    readOnly: true,
  },
  {
    name: "files_list",
    title: "List a directory",
    description: "Lists a directory as a tree with sizes; ignored directories are not opened.",
    parameters: [
      DIRECTORY,
      integer("depth", { least: 1, most: 20 }, "Default 1."),
      integer("limit", { least: 1, most: 10_000 }, "Default 500."),
      RESPECT_GIT_IGNORE,
    ],
    readOnly: true,
  },
  {
    name: "files_glob",
    title: "Find files by name",
    description:
      "Finds paths by pattern, e.g. src/**/*.{ts,tsx} or !*.min.js, newest first. `*` stays in a directory; a " +
      "pattern without a slash matches at any depth. Finds hidden files, but not ignored ones and .git.",
    parameters: [
      texts("pattern", "One or several.", { ...REQUIRED, aliases: ["patterns"] }),
      DIRECTORY,
      choice("type", ["file", "directory"]),
      flag("case_sensitive", "Absent: only if a pattern has a capital."),
      RESPECT_GIT_IGNORE,
      integer("limit", { least: 1, most: 10_000 }, "Default 100."),
      integer("offset", { least: 0 }, "How many to skip."),
    ],
    readOnly: true,
  },
  {
    name: "files_grep",
    title: "Search in files",
    description:
      "Finds lines by a regular expression, in ripgrep's syntax, sorted by path. Ignored and binary files are " +
      "left out; the end says what was cut, with totals.",
    parameters: [
      text("pattern", "", REQUIRED),
      { ...DIRECTORY, description: "A directory or file; absent: the project." },
      texts("glob", "E.g. *.ts or !test/**; also matches ignored files."),
      text("type", "E.g. ts or rust."),
      choice("output_mode", ["content", "files_with_matches", "count"], "Default content."),
      integer("context_lines", { least: 0, most: 50 }, "Around each match.", { aliases: ["context", "-C"] }),
      integer("before_context", { least: 0, most: 50 }, "", { aliases: ["-B"] }),
      integer("after_context", { least: 0, most: 50 }, "", { aliases: ["-A"] }),
      flag("case_insensitive", "", { aliases: ["-i"] }),
      flag("fixed_strings", "The pattern is plain text.", { aliases: ["-F"] }),
      flag("word", "Whole words.", { aliases: ["-w"] }),
      flag("invert", "Lines that do not match.", { aliases: ["-v"] }),
      flag("multiline", "Matches may span lines; `.` matches line ends."),
      flag("line_numbers", "Default true.", { aliases: ["-n"] }),
      RESPECT_GIT_IGNORE,
      integer("limit", { least: 1, most: 10_000 }, "Default 100.", { aliases: ["head_limit"] }),
      integer("offset", { least: 0 }, "How many to skip."),
    ],
    readOnly: true,
  },
] as const satisfies readonly ToolDefinition[];
