/** The texts of a check for the model (K8). Pure. */
import { compareText, counted } from "../../base/text.ts";
import { visibleText } from "../../base/visible_text.ts";
import { RULES_META_KEY, textResult, type ToolResult } from "../frame/messages.ts";
import { SEVERITIES } from "../definition/rules.ts";
import type { Finding, Severity } from "./format/rule.ts";

const MOST_SKIPPED = 30;

export interface CheckFacts {
  readonly findings: readonly Finding[];
  /** Findings that are shown. */
  readonly limit: number;
  readonly rules: number;
  readonly files: number;
  /** Number of rules that could not be read or applied to all their files. */
  readonly failed: number;
  readonly skipped: readonly string[];
  /** Sentences after the findings, for example that the check ended early. */
  readonly notes: readonly string[];
  /** The text of the batch; undefined: none was requested. */
  readonly batch: string | undefined;
}

/** The result of a check: findings by place, the totals, skipped files, and the batch for review. */
export function checkResult({ findings, limit, rules, files, failed, skipped, notes, batch }: CheckFacts): ToolResult {
  const counts = Object.fromEntries(
    SEVERITIES.map((severity) => [severity, findings.filter((one) => one.severity === severity).length] as const),
  ) as Record<Severity, number>; // of each severity
  const sorted = findings.toSorted(byPlace);
  const words = SEVERITIES.filter((severity) => counts[severity] > 0).map((severity) =>
    severity === "error" || severity === "warning"
      ? counted(counts[severity], severity)
      : `${counts[severity]} ${severity}`
  );
  const rest = findings.length - limit;
  const left = skipped.length - MOST_SKIPPED;
  const lines = [
    ...sorted.slice(0, limit).map(findingLine),
    ...rest > 0 ? [`[${limit} of ${findings.length}; a higher "limit" shows more]`] : [],
    `${words.join(", ") || "No finding"}; ${counted(rules, "rule")}, ${counted(files, "file")}.`,
    ...notes,
    ...skipped.slice(0, MOST_SKIPPED).map((one) => `Skipped: ${one}`),
    ...left > 0 ? [`Skipped: ${left} more`] : [],
    ...batch === undefined ? [] : ["", batch],
  ];
  return {
    ...textResult(visibleText(lines.join("\n"))),
    _meta: { [RULES_META_KEY]: { ...counts, files, failed } },
  };
}

function findingLine({ path, line, column, severity, rule, message, fix }: Finding): string {
  const proposal = fix === undefined ? "" : fix === "" ? " (fix: remove it)" : ` (fix: ${fix})`;
  return `${path}:${line}:${column} ${severity} ${rule} ${message}${proposal}`.replaceAll("\n", " ");
}

function byPlace(one: Finding, other: Finding): number {
  return compareText(one.path, other.path) || one.line - other.line || one.column - other.column ||
    compareText(one.rule, other.rule);
}
