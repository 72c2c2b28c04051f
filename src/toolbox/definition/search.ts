/** Tools that tell what sources define, and find it (K4). */
import type { Parameter } from "./parameters.ts";
import type { ToolDefinition } from "./tool_definition.ts";

const PATTERNS: Parameter = {
  name: "patterns",
  type: { kind: "texts" },
  description: "Only these paths or globs.",
  aliases: ["pattern", "glob"],
};

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
  {
    name: "search_query",
    title: "Search the project",
    description: "Ranked search for words and symbols in the project, when the exact text is not known: getUserName " +
      "is found as user name, plurals and slips too. Gives path:lines with a few lines of each. Changed files are read " +
      "first; the answer says what is not indexed yet.",
    parameters: [
      { name: "query", type: { kind: "text" }, description: "Words or identifiers.", required: true },
      {
        name: "mode",
        type: { kind: "choice", values: ["text", "symbol", "path"] },
        description: "symbol: names that are defined; path: file names.",
      },
      PATTERNS,
      { name: "limit", type: { kind: "integer", least: 1, most: 100 }, description: "Default 10." },
    ],
    readOnly: true,
  },
  {
    name: "symbol_find",
    title: "Find a definition",
    description:
      "Finds where functions, classes, types, fields and so on are defined, by a name or a part of it; exact " +
      "names first, each with lines and signature.",
    parameters: [
      { name: "name", type: { kind: "text" }, description: "", required: true, aliases: ["symbol", "query"] },
      { name: "kind", type: { kind: "text" }, description: "As function, method, class, interface, type." },
      PATTERNS,
      { name: "limit", type: { kind: "integer", least: 1, most: 500 }, description: "Default 20." },
    ],
    readOnly: true,
  },
  {
    name: "search_index",
    title: "Index the project",
    description:
      "Brings the index of search_query and symbol_find up to date as a whole, which they do themselves for at " +
      "most ten seconds. It lies outside of the project.",
    parameters: [
      PATTERNS,
      { name: "force", type: { kind: "flag" }, description: "Unchanged files too." },
    ],
    readOnly: true,
  },
];
