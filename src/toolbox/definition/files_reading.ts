/** Tools that read files of the project. */
import type { Parameter } from "./parameters.ts";
import type { ToolDefinition } from "./tool_definition.ts";

const PATH: Parameter = {
  name: "path",
  type: { kind: "text" },
  description: "Relative to the project, or absolute.",
  required: true,
  aliases: ["file_path", "absolute_path"],
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
];
