/** `rules_verdict`: records a reviewer's findings for the content that was read (K8). */
import { counted } from "../../base/text.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { visibleText } from "../../base/visible_text.ts";
import type { CallOf } from "../definition/groups.ts";
import { textResult, type ToolResult } from "../frame/messages.ts";
import type { ToolContext } from "../project/native_tool.ts";
import type { RuleSet } from "./format/load_rules.ts";
import { rulesOf } from "./choose_rules.ts";
import { parseReviewId, reviewKey, Verdicts } from "./review/verdicts.ts";
import { RuleTexts } from "./rule_files.ts";

/** See the definition of `rules_verdict`. */
export async function recordVerdicts(args: CallOf<"rules_verdict">, context: ToolContext): Promise<ToolResult> {
  const { verdicts: given } = args;
  const set = await rulesOf(args, context);
  using tree = await context.project.tree(".");
  const texts = new RuleTexts(tree);
  const verdicts = context.project.kept(Verdicts);
  const refused: string[] = [];
  for (const one of given) {
    const recorded = await record(one, { set, texts, verdicts });
    if (!recorded.ok) refused.push(`Refused ${one.review_id}: ${recorded.problem}`);
  }
  verdicts.prune();
  const lines = [...refused, `Recorded ${counted(given.length - refused.length, "verdict")}.`];
  return {
    ...textResult(visibleText(lines.join("\n"))),
    ...refused.length > 0 && { isError: true },
  };
}

async function record(
  { review_id, pass, findings = [] }: CallOf<"rules_verdict">["verdicts"][number],
  { set, texts, verdicts }: { readonly set: RuleSet; readonly texts: RuleTexts; readonly verdicts: Verdicts },
): Promise<Outcome<void>> {
  const asked = parseReviewId(review_id);
  if (asked === undefined) return failure("it is not a review_id of rules_check");
  const rule = set.rules.find(({ name }) => name === asked.rule);
  if (rule?.engine.kind !== "review") return failure(`there is no review rule "${asked.rule}"`);
  const read = texts.read(asked.path);
  if (read === undefined) return failure(`"${asked.path}" is gone, or no text any more`);
  const key = await reviewKey(rule, read.text);
  if (!key.startsWith(asked.start)) return failure("file or rule changed since; rules_check asks again");
  if (pass && findings.length > 0) return failure('"pass" is true, but there are findings');
  if (!pass && findings.length === 0) return failure('"pass" is false without findings: name at least one');
  const lines = read.text.split("\n").length;
  const outside = findings.find(({ line }) => line > lines);
  if (outside !== undefined) return failure(`the file has ${lines} lines, a finding names line ${outside.line}`);
  await verdicts.put(key, {
    pass,
    findings: findings.map(({ line, severity = rule.severity, message, suggestion = "" }) => ({
      line,
      severity,
      message,
      suggestion,
    })),
  });
  return success(undefined);
}
