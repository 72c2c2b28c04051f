/** Tools that read files of the project. */
import type { Parameter } from "./parameters.ts";
import type { ToolDefinition } from "./tool_definition.ts";

/** The file that a call is about. */
export const PATH: Parameter = {
  name: "path",
  type: { kind: "text" },
  description: "Relative to the project, or absolute.",
  required: true,
  aliases: ["file_path", "absolute_path"],
};

const DIRECTORY: Parameter = {
  name: "path",
  type: { kind: "text" },
  description: "A directory; absent: the project.",
  aliases: ["directory"],
};

const RESPECT_GIT_IGNORE: Parameter = {
  name: "respect_git_ignore",
  type: { kind: "flag" },
  description: "false: ignored files too.",
};

export const READING_TOOLS: readonly ToolDefinition[] = [
  {
    name: "files_read",
    title: "Read a file",
    description:
      "Reads text with line numbers, at most 2,000 lines and 48 KiB; the last line names the offset of the " +
      "rest, the first one size and `rev`, a fingerprint of the content. Shows images, notebooks and PDF too.",
    parameters: [
      PATH,
      {
        name: "offset",
        type: { kind: "integer" },
        description: "First line, from 1; a negative number counts from the end.",
      },
      { name: "limit", type: { kind: "integer", least: 1, most: 100_000 }, description: "Number of lines." },
      { name: "line_numbers", type: { kind: "flag" }, description: "false: the text exactly as it is." },
      { name: "pages", type: { kind: "text" }, description: 'Of a PDF, as "1-5".' },
      { name: "encoding", type: { kind: "choice", values: ["base64"] }, description: "For bytes, up to 1 MiB." },
    ],
    readOnly: true,
  },
  {
    name: "files_list",
    title: "List a directory",
    description: "Lists a directory as a tree with sizes; ignored directories are not opened.",
    parameters: [
      DIRECTORY,
      { name: "depth", type: { kind: "integer", least: 1, most: 20 }, description: "Default 1." },
      { name: "limit", type: { kind: "integer", least: 1, most: 10_000 }, description: "Default 500." },
      RESPECT_GIT_IGNORE,
    ],
    readOnly: true,
  },
  {
    name: "files_glob",
    title: "Find files by name",
    description:
      "Finds paths by pattern, as src/**/*.{ts,tsx} or !*.min.js, the newest first. `*` stays in a directory; " +
      "a pattern without a slash fits at any depth. Hidden files are found, ignored ones and .git not.",
    parameters: [
      {
        name: "pattern",
        type: { kind: "texts" },
        description: "One or several.",
        required: true,
        aliases: ["patterns"],
      },
      DIRECTORY,
      { name: "type", type: { kind: "choice", values: ["file", "directory"] }, description: "" },
      {
        name: "case_sensitive",
        type: { kind: "flag" },
        description: "Absent: capitals matter where a pattern has one.",
      },
      RESPECT_GIT_IGNORE,
      { name: "limit", type: { kind: "integer", least: 1, most: 10_000 }, description: "Default 100." },
      { name: "offset", type: { kind: "integer", least: 0 }, description: "Leaves out so many." },
    ],
    readOnly: true,
  },
  {
    name: "files_grep",
    title: "Search in files",
    description:
      "Finds lines by a regular expression of ripgrep's kind, in order of paths. Ignored and binary files are " +
      "left out; what was cut is told with the totals.",
    parameters: [
      { name: "pattern", type: { kind: "text" }, description: "", required: true },
      { ...DIRECTORY, description: "A directory or file; absent: the project." },
      { name: "glob", type: { kind: "texts" }, description: "As *.ts or !test/**; also ignored files that fit." },
      { name: "type", type: { kind: "text" }, description: "Kind of file, as ts or rust." },
      {
        name: "output_mode",
        type: { kind: "choice", values: ["content", "files_with_matches", "count"] },
        description: "Default content.",
      },
      {
        name: "context_lines",
        type: { kind: "integer", least: 0, most: 50 },
        description: "Around each match.",
        aliases: ["context", "-C"],
      },
      { name: "before_context", type: { kind: "integer", least: 0, most: 50 }, description: "", aliases: ["-B"] },
      { name: "after_context", type: { kind: "integer", least: 0, most: 50 }, description: "", aliases: ["-A"] },
      { name: "case_insensitive", type: { kind: "flag" }, description: "", aliases: ["-i"] },
      { name: "fixed_strings", type: { kind: "flag" }, description: "The pattern is plain text.", aliases: ["-F"] },
      { name: "word", type: { kind: "flag" }, description: "Whole words.", aliases: ["-w"] },
      { name: "invert", type: { kind: "flag" }, description: "Lines that do not match.", aliases: ["-v"] },
      { name: "multiline", type: { kind: "flag" }, description: "Matches over lines; `.` fits their ends." },
      { name: "line_numbers", type: { kind: "flag" }, description: "Default true.", aliases: ["-n"] },
      RESPECT_GIT_IGNORE,
      {
        name: "limit",
        type: { kind: "integer", least: 1, most: 10_000 },
        description: "Default 100.",
        aliases: ["head_limit"],
      },
      { name: "offset", type: { kind: "integer", least: 0 }, description: "Leaves out so many." },
    ],
    readOnly: true,
  },
];
