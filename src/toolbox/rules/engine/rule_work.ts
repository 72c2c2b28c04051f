/** Applies patterns, grammar queries and limits of measures (K8), in a helper, because they may take any time. */
import { messageOf } from "../../../base/errors.ts";
import { type Outcome, success } from "../../../base/outcome.ts";
import type { WorkerSetup } from "../../frame/messages.ts";
import type { HelperWork, WorkHooks } from "../../helper/messages.ts";
import { Grammars } from "../../outline/grammars.ts";
import { endingOf, languageOf } from "../../outline/languages/languages.ts";
import type { MaxEngine, Measure, TextEngine } from "../format/rule.ts";
import { findPlaces, type FoundPlace, MOST_PLACES } from "./match_text.ts";

/** A task to apply rules to a file. `rule` identifies one in the answer. */
export interface RuleTask {
  readonly rules: readonly { readonly rule: number; readonly engine: TextEngine }[];
  readonly path: string;
  readonly text: string;
}

/** The answer of one rule: places in the text. */
export type RuleAnswer =
  | { readonly found: readonly FoundPlace[] }
  /** A failure for this file only; `isBroken`: the helper is unusable. */
  | { readonly skipped: string; readonly isBroken: boolean }
  /** A failure for all files. */
  | { readonly problem: string };

/** The answer of one rule, in the order of the task. */
export interface AnsweredRule {
  readonly rule: number;
  readonly answer: RuleAnswer;
}

/** The work of a helper for rules. */
export function ruleWork({ data }: WorkerSetup, { post, spend }: WorkHooks): HelperWork {
  const grammars = new Grammars({ setup: { scopes: [], readable: [], writable: [], data }, spend });
  const answerOf = async (engine: TextEngine, path: string, text: string): Promise<RuleAnswer> => {
    try {
      const found = await find(grammars, engine, { path, text });
      return found.ok ? { found: found.value } : { skipped: found.problem, isBroken: grammars.isBroken };
    } catch (thrown) {
      return { problem: messageOf(thrown) };
    }
  };
  return async ({ rules, path, text }: RuleTask) => {
    for (const { rule, engine } of rules) {
      post({ rule, answer: await answerOf(engine, path, text) } satisfies AnsweredRule);
    }
  };
}

/** Places in order; a problem is this file's. @throws {Error} When a pattern or query fits no file. */
async function find(
  grammars: Grammars,
  engine: TextEngine,
  { path, text }: Pick<RuleTask, "path" | "text">,
): Promise<Outcome<readonly FoundPlace[]>> {
  if (engine.kind === "match") return success(findPlaces(text, engine));
  const language = languageOf(endingOf(path));
  const places: FoundPlace[] = [];
  if (engine.kind === "max") places.push(...longFile(text, engine));
  if (language !== undefined && engine.kind === "query") {
    const found = await grammars.captures(language, text, { source: engine.source, name: "finding" });
    if (!found.ok) return found;
    places.push(...found.value.map((start) => placeAt(text, start)));
  }
  if (language !== undefined && engine.kind === "max" && MEASURED.some((one) => engine.limits[one] !== undefined)) {
    const found = await grammars.functions(language, text);
    if (!found.ok) return found;
    places.push(...found.value.flatMap(({ name, start, lines, parameters, nesting }) =>
      tooMuch(text, start, [
        ["function_lines", lines, `${name} has`, "lines"],
        ["parameters", parameters, `${name} takes`, "parameters"],
        ["nesting", nesting, `${name} nests`, "conditions and loops"],
      ], engine.limits)
    ));
  }
  const sorted = places.toSorted((one, other) => one.line - other.line || one.column - other.column);
  return success(sorted.slice(0, MOST_PLACES + 1));
}

const MEASURED: readonly Measure[] = ["function_lines", "nesting", "parameters"];

function longFile(text: string, { limits }: MaxEngine): readonly FoundPlace[] {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return tooMuch(text, 0, [["file_lines", lines, "The file has", "lines"]], limits);
}

type Fact = readonly [measure: Measure, number: number, begin: string, unit: string];

function tooMuch(
  text: string,
  start: number,
  facts: readonly Fact[],
  limits: MaxEngine["limits"],
): readonly FoundPlace[] {
  return facts.flatMap(([measure, number, begin, unit]) => {
    const most = limits[measure] ?? Infinity;
    return number > most ? [{ ...placeAt(text, start), message: `${begin} ${number} ${unit}, at most ${most}` }] : [];
  });
}

function placeAt(text: string, start: number): FoundPlace {
  const before = text.slice(0, start);
  const begin = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: [...before.slice(begin)].length + 1, fix: undefined };
}
