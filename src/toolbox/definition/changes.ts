/** The tool that says what a branch changes (K10). */
import type { ToolDefinition } from "./tool_definition.ts";

export const CHANGE_TOOLS: readonly ToolDefinition[] = [
  {
    name: "git_changes",
    title: "List what a branch changes",
    description: "Lists the files that a branch changes since it left its base, and what is not committed, each with " +
      "a letter as git has them (A, M, D, R, ?? for new files). One call instead of several of git.",
    parameters: [
      { name: "branch", type: { kind: "text" }, description: "Default the current one." },
      {
        name: "base",
        type: { kind: "text" },
        description: "Branch or commit to compare with. Default the upstream's default branch, main, master or trunk.",
      },
      {
        name: "include_uncommitted",
        type: { kind: "flag" },
        description: "Also what is not committed, for the current branch. Default true.",
      },
      { name: "limit", type: { kind: "integer", least: 1, most: 10_000 }, description: "Files. Default 300." },
    ],
    readOnly: true,
  },
];
