/** Tools that check a project by rules (K8). */
import { choice, flag, integer, object, objects, REQUIRED, text, texts } from "./kinds.ts";
import type { ToolDefinition } from "./tool_definition.ts";

/** An argument that only the server adds to calls: the texts of the user's rules. */
export const USER_RULES = "userRules";

/** The heaviest first. */
export const SEVERITIES = ["error", "warning", "info", "hint"] as const;
const LEAST = choice("severity", SEVERITIES, "Minimum.");
const CATEGORY = text("category");
const FINDINGS = objects(
  "findings",
  [
    integer("line", { least: 1, most: 10_000_000 }, "", REQUIRED),
    choice("severity", SEVERITIES),
    text("message", "", REQUIRED),
    text("suggestion"),
  ],
  "Empty if it passes.",
);

export const RULE_TOOLS = [
  {
    name: "rules_check",
    title: "Check files by rules",
    description:
      "Checks files by the project's rules: findings as `file:line:column severity rule message`, and what " +
      "was skipped. Review rules come as a batch for you to read and answer with rules_verdict; answered files are " +
      "asked about again only if they change.",
    parameters: [
      texts("rule_names"),
      LEAST,
      CATEGORY,
      texts("file_paths", "Files, directories or globs."),
      flag("changed", "Only files with uncommitted changes."),
      integer("max_errors", { least: 1, most: 100_000 }, "Stops after this many."),
      flag("force", "Repeats reviews."),
      choice("review", ["list", "none"]),
      integer("limit", { least: 1, most: 10_000 }, "Findings. Default 200."),
    ],
    // A rule may run a program that changes files.
    readOnly: false,
    runsPrograms: true,
    idempotent: true,
  },
  {
    name: "rules_verdict",
    title: "Record reviews",
    description: "Records your verdicts on the batch of rules_check. Refuses one for a changed file or rule.",
    parameters: [
      objects("verdicts", [text("review_id", "", REQUIRED), flag("pass", "", REQUIRED), FINDINGS], "", REQUIRED),
    ],
    readOnly: false,
    harmless: true,
    idempotent: true,
  },
  {
    name: "rules_list",
    title: "List rules",
    description: "Lists rules with severity, engine and origin, and the mistakes in rule files.",
    parameters: [LEAST, CATEGORY],
    readOnly: true,
  },
  {
    name: "rules_create",
    title: "Create a rule",
    description: "Checks and writes a rule of the project. Without an engine in fields it is a review rule, and " +
      "content its instruction, with {{ target_path }}, {{ target_content }}, {{ language }}.",
    parameters: [
      text("name", "", REQUIRED),
      text("content", "Markdown.", REQUIRED),
      choice("severity", SEVERITIES, "", REQUIRED),
      text("title"),
      CATEGORY,
      object(
        "fields",
        "Front matter: files, languages, message, and an engine: match (regex; not, multiline, fix), query, max, command (parse).",
      ),
    ],
    readOnly: false,
    harmless: true,
  },
] as const satisfies readonly ToolDefinition[];
