/** Conditions of arms in CEL (K7). They only read variables. */
import { messageOf } from "../../base/errors.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { Variables } from "./template.ts";

/** The result of a condition. `unknown`: it names an unset variable. */
export type Verdict =
  | { readonly kind: "true" }
  | { readonly kind: "false" }
  | { readonly kind: "unknown" | "error"; readonly message: string };

/** Evaluates a checked condition. */
export type Evaluate = (text: string, variables: Variables) => Verdict;

const LONGEST = 500;
/** Calls whose time has no bound: regular expressions and nested loops over lists. */
const ENDLESS = /\b(matches|all|exists|exists_one|map|filter)(?:\s|\/\/.*)*\(/;

/** Why a text is not a valid condition; undefined: it is. */
export async function expressionProblem(text: string): Promise<string | undefined> {
  if (text.length > LONGEST) return `The condition has ${text.length} characters, at most ${LONGEST} are allowed`;
  const endless = ENDLESS.exec(text);
  if (endless !== null) {
    return `"${endless[1]}" is not allowed in a condition: use contains, startsWith, endsWith or size`;
  }
  const { parse } = await import("@marcbachmann/cel-js");
  try {
    parse(text);
    return undefined;
  } catch (thrown) {
    return `"${text}" is not a condition: ${firstLine(thrown)}`;
  }
}

/** The evaluator of checked conditions; the package is loaded by the first flow. */
export async function loadEvaluator(): Promise<Evaluate> {
  const { evaluate } = await import("@marcbachmann/cel-js");
  return (text, variables) => {
    try {
      return evaluate(text, variables) === true ? { kind: "true" } : { kind: "false" };
    } catch (thrown) {
      const message = firstLine(thrown);
      return { kind: /^(Unknown variable|No such key)/.test(message) ? "unknown" : "error", message };
    }
  };
}

/** Parses a JSON text; the problem is the parser's message. */
export function readJsonAnswer(text: string): Outcome<unknown> {
  const inner = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
  try {
    return success(JSON.parse(inner));
  } catch (thrown) {
    return failure(messageOf(thrown));
  }
}

function firstLine(thrown: unknown): string {
  return messageOf(thrown).split("\n")[0] ?? "";
}
