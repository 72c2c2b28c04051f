/** Tools that outline and search sources (K4), and list what a branch changes (K10). */
import { DIRECTORY } from "./files_reading.ts";
import { choice, flag, integer, REQUIRED, text, texts } from "./kinds.ts";
import type { ToolDefinition } from "./tool_definition.ts";

const PATTERNS = texts("patterns", "Only these paths or globs.", { aliases: ["pattern", "glob"] });

export const SEARCH_TOOLS = [
  {
    name: "outline_generate",
    title: "Outline files",
    description: "Lists what source files define, with lines, signatures and first words of comments, without " +
      "bodies: cheaper than reading them. 19 languages, Markdown headings, scripts in Vue, Svelte and HTML; names " +
      "skipped files.",
    parameters: [
      texts("patterns", "Paths, directories or globs, e.g. src/**/*.ts.", {
        ...REQUIRED,
        aliases: ["pattern", "files"],
      }),
      DIRECTORY,
      choice("output_format", ["text", "yaml", "json"]),
      integer("depth", { least: 1, most: 10 }, "Levels of symbols; 1 leaves out members."),
      integer("limit", { least: 1, most: 10_000 }, "Files."),
      integer("offset", { least: 0 }, "How many files to skip."),
    ],
    readOnly: true,
  },
  {
    name: "search_query",
    title: "Search the project",
    description: "Ranked search for words and symbols in the project, if you do not know the exact text: user name " +
      "finds getUserName, also with plurals and typos. Gives path:lines with a few lines of each. Reads changed files " +
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
    description: "Finds where functions, classes, types, fields etc. are defined, by a name or part of one; exact " +
      "names first, each with lines and signature.",
    parameters: [
      text("name", "", { ...REQUIRED, aliases: ["symbol", "query"] }),
      text("kind", "E.g. function, method, class, interface, type."),
      PATTERNS,
      integer("limit", { least: 1, most: 500 }, "Default 20."),
    ],
    readOnly: true,
  },
  {
    name: "search_index",
    title: "Index the project",
    description:
      "Updates the whole index of search_query and symbol_find, which they update themselves for at most ten " +
      "seconds. The index is kept outside the project.",
    parameters: [
      PATTERNS,
      flag("force", "Also unchanged files."),
    ],
    readOnly: true,
  },
] as const satisfies readonly ToolDefinition[];

export const CHANGE_TOOLS = [
  {
    name: "git_changes",
    title: "List what a branch changes",
    description:
      "Lists the files that a branch changed since it left its base, and uncommitted ones, each with git's " +
      "letter (A, M, D, R, ?? for new files). One call instead of several git calls.",
    parameters: [
      text("branch", "Default the current one."),
      text("base", "Branch or commit to compare with. Default the upstream's default branch, main, master or trunk."),
      flag("include_uncommitted", "Also uncommitted changes, for the current branch. Default true."),
      integer("limit", { least: 1, most: 10_000 }, "Files. Default 300."),
    ],
    readOnly: true,
  },
] as const satisfies readonly ToolDefinition[];
