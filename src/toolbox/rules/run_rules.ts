/** Runs the rules of this program's own engines over files (K8). */
import { globTest } from "../find/glob_pattern.ts";
import { Turns } from "../../system/tree/turns.ts";
import { Helpers } from "../helper/helpers.ts";
import type { ToolContext } from "../project/native_tool.ts";
import { BoundedRules } from "./engine/bounded_rules.ts";
import { MOST_PLACES } from "./engine/match_text.ts";
import { runRuleCommand } from "./engine/run_command.ts";
import { isIgnored } from "./format/ignore_comments.ts";
import { type Finding, messageOf, type Rule, textEngineOf } from "./format/rule.ts";
import type { RuleTexts } from "./rule_files.ts";

export interface RuleRun {
  readonly rules: readonly Rule[];
  /** Paths from the directory of the project. */
  readonly files: readonly string[];
  readonly texts: RuleTexts;
  readonly context: ToolContext;
  /** After this many errors no further file is checked. */
  readonly mostErrors: number;
}

export interface RunResult {
  readonly findings: readonly Finding[];
  /** What was left out, each with the reason. */
  readonly skipped: readonly string[];
  /** Number of rules that could not be applied to all their files. */
  readonly failed: number;
  /** The files for review rules. */
  readonly reviews: readonly Question[];
  /** Whether it ended at `mostErrors`. */
  readonly isCut: boolean;
}

/** A review rule and a file that it applies to. */
export interface Question {
  readonly rule: Rule;
  readonly path: string;
}

/** Progress is reported after this many. */
const FILES_PER_STEP = 50;

export async function runRules(run: RuleRun): Promise<RunResult> {
  const { rules, files, texts, context: { project, signal } } = run;
  const bounded = new BoundedRules(rules.map(textEngineOf), { helpers: project.kept(Helpers), signal });
  const chosen = await selectFiles(run);
  const findings: Finding[] = [];
  const skipped: string[] = [];
  const cuts: string[] = [];
  const { isCut } = await matchFiles(bounded, run, { chosen, cuts, findings, skipped });
  for (const [index, rule] of rules.entries()) {
    if (rule.engine.kind !== "command" || isCut) continue;
    const own = files.filter((path) => chosen.get(path)?.includes(index));
    if (own.length > 0) await commandFindings(rule, own, run, { cuts, findings, skipped });
  }
  const failed = skipped.length + bounded.dropped.size;
  skipped.push(...[...bounded.dropped].map(([index, reason]) => `rule ${rules[index]?.name}: ${reason}`));
  skipped.push(...cuts);
  if (texts.longer.size > 0) {
    const [first] = texts.longer;
    skipped.push(`${first}${texts.longer.size > 1 ? ` and ${texts.longer.size - 1} more` : ""}: longer than 1 MiB`);
  }
  const reviews = rules.flatMap((rule, index) =>
    rule.engine.kind === "review"
      ? files.filter((path) => chosen.get(path)?.includes(index)).map((path) => ({ rule, path }))
      : []
  );
  return { findings, skipped, failed, reviews, isCut };
}

type Chosen = ReadonlyMap<string, readonly number[]>;

/** The rules for each file; files without rules are missing. */
async function selectFiles({ rules, files, context: { signal } }: RuleRun): Promise<Chosen> {
  const tests = rules.map(({ files, languageGlobs }) =>
    [files, languageGlobs].filter((globs) => globs.length > 0)
      .map((globs) => globTest(globs, { caseSensitive: true, directory: "/" }))
  );
  const chosen = new Map<string, number[]>();
  const turns = new Turns();
  for (const path of files) {
    const own = rules.keys().filter((rule) => tests[rule]?.every((fits) => fits(path))).toArray();
    if (own.length > 0) chosen.set(path, own);
    if (turns.isOver) await turns.give();
    signal.throwIfAborted();
  }
  return chosen;
}

interface Found {
  /** Notes about findings that were cut off. */
  readonly cuts: string[];
  readonly findings: Finding[];
  readonly skipped: string[];
}

async function matchFiles(
  bounded: BoundedRules,
  { rules, files, texts, context, mostErrors }: RuleRun,
  { chosen, cuts, findings, skipped }: Found & { readonly chosen: Chosen },
): Promise<{ readonly isCut: boolean }> {
  let errors = 0;
  for (const [count, path] of files.entries()) {
    if (count % FILES_PER_STEP === 0) context.progress({ progress: count, total: files.length, message: path });
    const own = chosen.get(path)?.filter((index) => bounded.looksAtTexts(index)) ?? [];
    const read = own.length === 0 ? undefined : texts.read(path);
    if (read === undefined) continue;
    const wanted = own.filter((index) => !isIgnored(rules[index]?.name ?? "", read.ignored));
    const answers = await bounded.ask({ rules: wanted, path, text: read.text });
    for (const [index, answer] of answers) {
      const rule = rules[index];
      const places = "found" in answer ? answer.found : [];
      if (rule === undefined) continue;
      if ("skipped" in answer) skipped.push(`rule ${rule.name}, ${path}: ${answer.skipped}`);
      const shown = places.slice(0, MOST_PLACES);
      findings.push(
        ...shown.map((place) => ({
          ...findingOf(rule, { path, ...place }),
          ...place.message !== undefined && { message: place.message },
        })),
      );
      if (places.length > MOST_PLACES) {
        cuts.push(`rule ${rule.name}, ${path}: findings after the first ${MOST_PLACES}`);
      }
      if (rule.severity === "error") errors += shown.length;
    }
    if (errors >= mostErrors) return { isCut: true };
  }
  return { isCut: false };
}

async function commandFindings(
  rule: Rule,
  files: readonly string[],
  { context: { project: { directory }, signal }, texts }: RuleRun,
  { findings, skipped }: Found,
): Promise<void> {
  if (rule.engine.kind !== "command") return;
  const told = await runRuleCommand({ engine: rule.engine, files, directory, signal });
  if (!told.ok) {
    skipped.push(`rule ${rule.name}: ${told.problem}`);
    return;
  }
  const known = new Set(files);
  for (const { path: named, line, column, message } of told.value) {
    const path = (named.startsWith(`${directory}/`) ? named.slice(directory.length + 1) : named).replace(/^\.\//, "");
    // A linter may also report files that the call does not include.
    if (!known.has(path) || isIgnored(rule.name, texts.read(path)?.ignored ?? [])) continue;
    findings.push({
      ...findingOf(rule, { path, line, column }),
      ...message !== "" && { message: message.slice(0, 500) },
    });
  }
}

function findingOf(rule: Rule, place: Pick<Finding, "path" | "line" | "column" | "fix">): Finding {
  const { path, line, column, fix } = place;
  return { path, line, column, fix, severity: rule.severity, rule: rule.name, message: messageOf(rule) };
}
