/** Tools that tell what sources define and find it (K4), and what a branch changes (K10). */
import { DIRECTORY } from "./files_reading.ts";
import { choice, flag, integer, REQUIRED, text, texts } from "./kinds.ts";
import type { ToolDefinition } from "./tool_definition.ts";

const PATTERNS = texts("patterns", "Only these paths or globs.", { aliases: ["pattern", "glob"] });

export const SEARCH_TOOLS = [
  {
    name: "outline_generate",
    title: "Outline files",
    description: "Lists what source files define, with lines, signatures and first words of their comments, without " +
      "bodies: cheaper than reading them. 19 languages, Markdown headings, scripts in Vue, Svelte and HTML; names " +
      "files that it skips.",
    parameters: [
      texts("patterns", "Paths, directories or globs, as src/**/*.ts.", { ...REQUIRED, aliases: ["pattern", "files"] }),
      DIRECTORY,
      choice("output_format", ["text", "yaml", "json"]),
      integer("depth", { least: 1, most: 10 }, "Levels of symbols; 1 leaves out members."),
      integer("limit", { least: 1, most: 10_000 }, "Files."),
      integer("offset", { least: 0 }, "Leaves out so many files."),
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
      text("query", "Words or identifiers.", REQUIRED),
      choice("mode", ["text", "symbol", "path"], "symbol: names that are defined; path: file names."),
      PATTERNS,
      integer("limit", { least: 1, most: 100 }, "Default 10."),
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
      text("name", "", { ...REQUIRED, aliases: ["symbol", "query"] }),
      text("kind", "As function, method, class, interface, type."),
      PATTERNS,
      integer("limit", { least: 1, most: 500 }, "Default 20."),
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
      flag("force", "Unchanged files too."),
    ],
    readOnly: true,
  },
] as const satisfies readonly ToolDefinition[];

export const CHANGE_TOOLS = [
  {
    name: "git_changes",
    title: "List what a branch changes",
    description: "Lists the files that a branch changes since it left its base, and what is not committed, each with " +
      "a letter as git has them (A, M, D, R, ?? for new files). One call instead of several of git.",
    parameters: [
      text("branch", "Default the current one."),
      text("base", "Branch or commit to compare with. Default the upstream's default branch, main, master or trunk."),
      flag("include_uncommitted", "Also what is not committed, for the current branch. Default true."),
      integer("limit", { least: 1, most: 10_000 }, "Files. Default 300."),
    ],
    readOnly: true,
  },
] as const satisfies readonly ToolDefinition[];
