/** Loads all rules: bundled, the user's, the project's (K8). */
import { describeDiagnostic, type Diagnostic } from "../../../base/diagnostic.ts";
import { compareText } from "../../../base/text.ts";
import type { Prompt, PromptSet } from "../../../prompt/format/prompt.ts";
import { isPartialName } from "../../../prompt/format/prompt_name.ts";
import { type PromptText, readPrompt } from "../../../prompt/format/read_prompt.ts";
import { type ReadPrompts, readPrompts } from "../../../prompt/load/read_prompts.ts";
import { isWithin, realPath } from "../../../system/paths.ts";
import { readRule } from "./read_rule.ts";
import type { Rule } from "./rule.ts";

export interface RuleSet {
  /** Rules by name; for the same name the project's rule wins, then the user's. */
  readonly rules: readonly Rule[];
  /** Templates that reviews include. */
  readonly partials: readonly Prompt[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Rule directories of other programs, used if ours is missing; the first existing one counts. */
const FOREIGN_PLACES = [".swissarmyhammer/rules", ".sah/rules"] as const;

export interface RulePlaces {
  /** The project, absolute. */
  readonly project: string;
  /** The directory of its rules, relative to the project. */
  readonly own: string;
}

/** Reads every rule; `user` holds the user's rule texts, which the worker may not read. */
export async function loadRules({ project, own: first }: RulePlaces, user: ReadPrompts): Promise<RuleSet> {
  const rules = new Map<string, Rule>();
  const partials: Prompt[] = [];
  const place = [first, ...FOREIGN_PLACES].map((name) => `${project}/${name}`).find((path) =>
    realPath(path) !== undefined
  );
  const own = place === undefined
    ? { texts: [], diagnostics: [] }
    : readPrompts({ origin: "project", path: place, mayRead: (real) => isWithin(real, project) });
  const diagnostics: Diagnostic[] = [...user.diagnostics, ...own.diagnostics];
  const shown = own.texts.map((one) => ({ ...one, file: one.file.slice(project.length + 1) }));
  for (const text of [...BUNDLED_RULES, ...user.texts, ...shown]) {
    if (isPartialText(text)) {
      const read = await readPrompt(text);
      diagnostics.push(...read.diagnostics);
      if (read.prompt !== undefined) partials.push(read.prompt);
      continue;
    }
    const read = await readRule(text);
    diagnostics.push(...read.diagnostics);
    if (read.rule !== undefined) rules.set(text.name, read.rule);
  }
  const sorted = [...rules.values()].toSorted((one, other) => compareText(one.name, other.name));
  return { rules: sorted, partials, diagnostics };
}

/** The templates that a rule may include: those of a project only if the rule is the project's. */
export function templatesFor(rule: Rule, { partials }: RuleSet): PromptSet {
  const own: Prompt = { ...rule, isPartial: false, tags: [], parameters: [], title: "", description: "", category: "" };
  const mayInclude = partials.filter(({ origin }) => origin !== "project" || rule.origin === "project");
  return new Map([...mayInclude, own].map((prompt) => [prompt.name, prompt]));
}

/** The faults of rule files, a line each. */
export function faultLines({ diagnostics }: RuleSet): readonly string[] {
  return diagnostics.map(describeDiagnostic);
}

/** Whether a file is a partial, by its name or front matter. */
function isPartialText({ name, text }: PromptText): boolean {
  return isPartialName(name) || /^---\n(?:[^\n]*\n){0,50}?partial:[ \t]*true[ \t]*\n/.test(text) ||
    /^\s*\{%-?\s*partial\s*-?%\}/.test(text);
}

import DEBUGGER_LEFT from "../../../../rules/debugger-left.md" with { type: "text" };
import FOCUSED_TEST from "../../../../rules/focused-test.md" with { type: "text" };
import HOSTILE_INPUT from "../../../../rules/hostile-input.md" with { type: "text" };
import MERGE_CONFLICT from "../../../../rules/merge-conflict.md" with { type: "text" };
import MISLEADING_WORDS from "../../../../rules/misleading-words.md" with { type: "text" };
import PRIVATE_KEY from "../../../../rules/private-key.md" with { type: "text" };
import SERVICE_TOKEN from "../../../../rules/service-token.md" with { type: "text" };
import SHELL_FROM_TEXT from "../../../../rules/shell-from-text.md" with { type: "text" };
import SWALLOWED_ERROR from "../../../../rules/swallowed-error.md" with { type: "text" };
import TLS_UNCHECKED from "../../../../rules/tls-unchecked.md" with { type: "text" };

const TEXTS: Readonly<Record<string, string>> = {
  "debugger-left": DEBUGGER_LEFT,
  "focused-test": FOCUSED_TEST,
  "hostile-input": HOSTILE_INPUT,
  "merge-conflict": MERGE_CONFLICT,
  "misleading-words": MISLEADING_WORDS,
  "private-key": PRIVATE_KEY,
  "service-token": SERVICE_TOKEN,
  "shell-from-text": SHELL_FROM_TEXT,
  "swallowed-error": SWALLOWED_ERROR,
  "tls-unchecked": TLS_UNCHECKED,
};

export const BUNDLED_RULES: readonly PromptText[] = Object.entries(TEXTS).map(([name, text]) => ({
  name,
  origin: "bundled",
  file: `${name}.md`,
  text,
}));
