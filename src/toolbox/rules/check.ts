/** `rules_check`: findings of local rules, and a batch for a reviewer (K8). */
import { compareText, counted } from "../../base/text.ts";
import type { CallOf } from "../definition/groups.ts";
import type { ToolResult } from "../frame/messages.ts";
import type { ToolContext } from "../project/native_tool.ts";
import { checkResult } from "./answer.ts";
import { chooseRules, rulesOf } from "./choose_rules.ts";
import { isIgnored } from "./format/ignore_comments.ts";
import { faultLines, type RuleSet, templatesFor } from "./format/load_rules.ts";
import { type Finding, isAtLeast, type Rule } from "./format/rule.ts";
import { nextBatch, type Waiting } from "./review/batches.ts";
import { type ReviewFinding, reviewId, reviewKey, Verdicts } from "./review/verdicts.ts";
import { chooseFiles, RuleTexts } from "./rule_files.ts";
import { type Question, runRules } from "./run_rules.ts";

const DEFAULT_LIMIT = 200;

/** See the definition of `rules_check`. */
export async function checkRules(args: CallOf<"rules_check">, context: ToolContext): Promise<ToolResult> {
  const set = await rulesOf(args, context);
  const rules = chooseRules(set, { names: args.rule_names, severity: args.severity, category: args.category });
  using tree = await context.project.tree(".");
  const files = await chooseFiles(tree, context, { paths: args.file_paths, changed: args.changed === true });
  const texts = new RuleTexts(tree);
  const local = await runRules({ rules, files, texts, context, mostErrors: args.max_errors ?? Infinity });
  const reviews = await reviewsOf(set, local.reviews, { args, texts, verdicts: context.project.kept(Verdicts) });
  const least = args.severity ?? "hint";
  const findings = [...local.findings, ...reviews.findings].filter(({ severity }) => isAtLeast(severity, least));
  return checkResult({
    findings,
    limit: args.limit ?? DEFAULT_LIMIT,
    rules: rules.length,
    files: files.length,
    failed: local.failed + set.diagnostics.filter(({ severity }) => severity === "error").length,
    skipped: [...faultLines(set), ...local.skipped, ...reviews.skipped],
    notes: [
      ...local.isCut ? [`Ended at "max_errors"; further files were not checked.`] : [],
      ...reviews.notes,
    ],
    batch: reviews.batch,
  });
}

interface Reviews {
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
  readonly skipped: readonly string[];
  readonly batch: string | undefined;
}

async function reviewsOf(
  set: RuleSet,
  questions: readonly Question[],
  { args, texts, verdicts }: {
    readonly args: CallOf<"rules_check">;
    readonly texts: RuleTexts;
    readonly verdicts: Verdicts;
  },
): Promise<Reviews> {
  const findings: Finding[] = [];
  const waiting: Waiting[] = [];
  for (const { rule, path } of questions.toSorted((one, other) => compareText(one.path, other.path))) {
    const read = texts.read(path);
    if (read === undefined || isIgnored(rule.name, read.ignored) || read.text.trim() === "") continue;
    const key = await reviewKey(rule, read.text);
    const verdict = args.force === true ? undefined : verdicts.get(key);
    if (verdict === undefined) waiting.push({ id: reviewId(rule.name, path, key), rule, path, content: read.text });
    else findings.push(...verdict.findings.map((one) => findingOf(one, rule, path)));
  }
  if (waiting.length === 0) return { findings, notes: [], skipped: [], batch: undefined };
  const asked = args.review === "none" ? [] : waiting.filter(({ rule }) => isAsked(rule, args));
  const told = `${counted(asked.length || waiting.length, "review")} without a verdict`;
  if (asked.length === 0) {
    const way = args.review === "none" ? "" : '; name rules, files or "changed" to get them';
    return { findings, notes: [`${told}${way}.`], skipped: [], batch: undefined };
  }
  const { text, count, problems } = await nextBatch(asked, (rule) => templatesFor(rule, set));
  const note = `${told}; the next ${count} follow. Read each, call rules_verdict, then rules_check for the rest.`;
  return {
    findings,
    notes: count === 0 ? [`${told}.`] : [note],
    skipped: problems,
    batch: count === 0 ? undefined : text,
  };
}

function findingOf({ line, severity, message, suggestion }: ReviewFinding, { name }: Rule, path: string): Finding {
  return { path, line, column: 1, severity, rule: name, message, fix: suggestion === "" ? undefined : suggestion };
}

/** Bundled reviews are skipped unless a call names files or rules, because a whole project would need many. */
function isAsked(
  { origin }: Rule,
  { rule_names, category, file_paths, changed, review }: CallOf<"rules_check">,
): boolean {
  const isNarrow = rule_names !== undefined || category !== undefined || file_paths !== undefined || changed === true;
  return origin !== "bundled" || isNarrow || review === "list";
}
