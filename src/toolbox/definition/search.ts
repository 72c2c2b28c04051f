/** Tools that tell what sources define, and find it (K4). */
import type { ToolDefinition } from "./tool_definition.ts";

export const SEARCH_TOOLS: readonly ToolDefinition[] = [
  {
    name: "outline_generate",
    title: "Outline files",
    description: "Lists what source files define, with lines, signatures and first words of their comments, without " +
      "bodies: cheaper than reading them. 19 languages, Markdown headings, scripts in Vue, Svelte and HTML; names " +
      "files that it skips.",
    parameters: [
      {
        name: "patterns",
        type: { kind: "texts" },
        description: "Paths, directories or globs, as src/**/*.ts.",
        required: true,
        aliases: ["pattern", "files"],
      },
      {
        name: "path",
        type: { kind: "text" },
        description: "A directory; absent: the project.",
        aliases: ["directory"],
      },
      { name: "output_format", type: { kind: "choice", values: ["text", "yaml", "json"] }, description: "" },
      {
        name: "depth",
        type: { kind: "integer", least: 1, most: 10 },
        description: "Levels of symbols; 1 leaves out members.",
      },
      { name: "limit", type: { kind: "integer", least: 1, most: 10_000 }, description: "Files." },
      { name: "offset", type: { kind: "integer", least: 0 }, description: "Leaves out so many files." },
    ],
    readOnly: true,
  },
];
