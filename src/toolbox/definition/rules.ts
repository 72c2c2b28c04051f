/** Tools that check a project by rules (K8). */
import { choice, count, flag, text, texts } from "./notes.ts";
import type { Parameter } from "./parameters.ts";
import type { ToolDefinition } from "./tool_definition.ts";

/** An argument that the server adds to calls: the texts of the user's rules. No client can give it. */
export const USER_RULES = "userRules";

const LEVELS = ["error", "warning", "info", "hint"] as const;
const LEAST: Parameter = choice("severity", LEVELS, "Minimum.");
const CATEGORY = text("category");
const FINDINGS: Parameter = {
  name: "findings",
  type: {
    kind: "objects",
    of: [
      { ...count("line", 1, 10_000_000), required: true },
      choice("severity", LEVELS),
      text("message", "", { required: true }),
      text("suggestion"),
    ],
  },
  description: "Empty where it passes.",
};

export const RULE_TOOLS: readonly ToolDefinition[] = [
  {
    name: "rules_check",
    title: "Check files by rules",
    description:
      "Checks files by the project's rules: findings as `file:line:column severity rule message`, and what " +
      "was skipped. Review rules come as a batch for you to read and to answer by rules_verdict; answered files are " +
      "asked again only when they change.",
    parameters: [
      texts("rule_names"),
      LEAST,
      CATEGORY,
      texts("file_paths", "Files, directories or globs."),
      flag("changed", "Only files that git says are not committed."),
      count("max_errors", 1, 100_000, "Ends after so many."),
      flag("force", "Asks reviews again."),
      choice("review", ["list", "none"]),
      count("limit", 1, 10_000, "Findings. Default 200."),
    ],
    // A rule may be a program, which may change files.
    readOnly: false,
    idempotent: true,
  },
  {
    name: "rules_verdict",
    title: "Record reviews",
    description: "Records your verdicts on the batch of rules_check. One for a file or rule that changed is refused.",
    parameters: [{
      name: "verdicts",
      type: {
        kind: "objects",
        of: [
          text("review_id", "", { required: true }),
          { name: "pass", type: { kind: "flag" }, description: "", required: true },
          FINDINGS,
        ],
      },
      description: "",
      required: true,
    }],
    readOnly: false,
    harmless: true,
    idempotent: true,
  },
  {
    name: "rules_list",
    title: "List rules",
    description: "Lists rules with severity, engine and origin, and what is wrong with rule files.",
    parameters: [LEAST, CATEGORY],
    readOnly: true,
  },
  {
    name: "rules_create",
    title: "Create a rule",
    description: "Writes a rule of the project after a check. Without an engine in fields it is a review rule " +
      "and content its instruction, with {{ target_path }}, {{ target_content }}, {{ language }}.",
    parameters: [
      text("name", "", { required: true }),
      text("content", "Markdown.", { required: true }),
      { ...choice("severity", LEVELS), required: true },
      text("title"),
      CATEGORY,
      {
        name: "fields",
        type: { kind: "object" },
        description:
          "Front matter: files, languages, message, and an engine: match (regex; not, multiline, fix), query, max, command (parse).",
      },
    ],
    readOnly: false,
    harmless: true,
  },
];
