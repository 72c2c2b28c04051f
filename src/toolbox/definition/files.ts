/** Tools for the files of the project. */
import type { Parameter } from "./parameters.ts";
import type { ToolDefinition } from "./tool_definition.ts";

const PATH: Parameter = {
  name: "path",
  type: { kind: "text" },
  description: "Relative to the project, or absolute.",
  required: true,
  aliases: ["file_path", "absolute_path"],
};

export const FILE_TOOLS: readonly ToolDefinition[] = [
  {
    name: "files_read",
    title: "Read a file",
    description: "Reads a file with line numbers, 2,000 lines unless told otherwise. The first line names its size " +
      "and `rev`, a fingerprint of its content; the last one names the offset of the rest.",
    parameters: [
      PATH,
      {
        name: "offset",
        type: { kind: "integer" },
        description: "First line, from 1; a negative number counts from the end.",
      },
      { name: "limit", type: { kind: "integer", least: 1, most: 100_000 }, description: "Number of lines." },
    ],
    readOnly: true,
  },
];
