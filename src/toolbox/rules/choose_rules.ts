/** Selects the rules of a call. */
import { UserError } from "../../base/errors.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { ReadPrompts } from "../../prompt/load/read_prompts.ts";
import { USER_RULES } from "../definition/rules.ts";
import type { ToolArguments } from "../frame/messages.ts";
import type { ToolContext } from "../project/native_tool.ts";
import { loadRules, type RuleSet } from "./format/load_rules.ts";
import { isAtLeast, type Rule, type Severity } from "./format/rule.ts";

/** All rules. The server adds the user's rule texts to the call, because the worker may not read them (K8). */
export async function rulesOf(args: ToolArguments, { project }: ToolContext): Promise<RuleSet> {
  const user = args[USER_RULES] as ReadPrompts | undefined; // the server's own
  return await loadRules(
    { project: project.directory, own: project.directories.rules },
    user ?? { texts: [], diagnostics: [] },
  );
}

export interface RuleChoice {
  readonly names: readonly string[] | undefined;
  /** Minimum severity; undefined: any. */
  readonly severity: Severity | undefined;
  readonly category: string | undefined;
}

/** @throws {UserError} When no rule has a given name or category. */
export function chooseRules(set: RuleSet, { names, severity, category }: RuleChoice): readonly Rule[] {
  const known = set.rules.map(({ name }) => name);
  for (const name of names ?? []) {
    if (known.includes(name)) continue;
    const fault = set.diagnostics.find((one) => one.severity === "error" && one.file.includes(`${name}.`));
    if (fault !== undefined) throw new UserError(`Rule "${name}" has an error: ${fault.file}: ${fault.message}`);
    throw new UserError(`There is no rule "${name}"${didYouMean(name, known) || "; rules_list names them"}`);
  }
  const categories = new Set(set.rules.flatMap((rule) => rule.category ?? []));
  if (category !== undefined && !categories.has(category)) {
    throw new UserError(`There is no category "${category}" of rules (${[...categories].join(", ")})`);
  }
  return set.rules.filter((rule) =>
    (names === undefined || names.includes(rule.name)) && (category === undefined || rule.category === category) &&
    (severity === undefined || isAtLeast(rule.severity, severity))
  );
}
