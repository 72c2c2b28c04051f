/** Turns the arguments of a request into values of a template (Q2, Q5). Pure. */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { didYouMean } from "../../base/suggest.ts";
import { shownValue, truncate } from "../../base/text.ts";
import type { Prompt, PromptParameter } from "./prompt.ts";

/** The longest argument, characters. */
const LONGEST_ARGUMENT = 256 * 1024;
const MOST_SHOWN = 20;

/** Values by argument name; one without value and default is absent. `act`: the action that the problem names. */
export function argumentValues(
  { name, parameters }: Pick<Prompt, "name" | "parameters">,
  given: Readonly<Record<string, string>>,
  act = "render prompt",
): Outcome<Readonly<Record<string, unknown>>> {
  const known = parameters.map((parameter) => parameter.name);
  const problems: string[] = [];
  for (const word of Object.keys(given).filter((one) => !known.includes(one)).slice(0, MOST_SHOWN)) {
    const guess = didYouMean(word, known);
    const list = known.length === 0 ? "; it takes none" : `; it takes ${known.slice(0, MOST_SHOWN).join(", ")}`;
    problems.push(`argument ${shownValue(word)} is unknown${guess || list}`);
  }
  const missing = parameters.filter((one) => one.required && one.fallback === undefined && !hasOwn(given, one.name));
  if (missing.length > 0) {
    const list = missing.map((one) => `"${one.name}"`).join(", ");
    problems.push(
      missing.length === 1 ? `required argument ${list} is missing` : `required arguments ${list} are missing`,
    );
  }
  const values: Record<string, unknown> = Object.create(null);
  for (const parameter of parameters) {
    const text = hasOwn(given, parameter.name) ? given[parameter.name] : undefined;
    if (text === undefined) {
      if (parameter.fallback !== undefined) values[parameter.name] = parameter.fallback;
      continue;
    }
    const value = valueOf(parameter, text);
    if (value.ok) values[parameter.name] = value.value;
    else problems.push(`argument "${parameter.name}" ${value.problem}`);
  }
  return problems.length === 0 ? success(values) : failure(`Cannot ${act} "${name}": ${problems.join("; ")}`);
}

/** The allowed values of an argument, for completion; undefined: any text. */
export function choicesOf({ type, choices }: PromptParameter): readonly string[] | undefined {
  if (choices.length > 0) return choices;
  return type === "boolean" ? ["true", "false"] : undefined;
}

function hasOwn(given: Readonly<Record<string, string>>, name: string): boolean {
  return Object.hasOwn(given, name);
}

function valueOf({ type, choices }: PromptParameter, text: string): Outcome<unknown> {
  if (text.length > LONGEST_ARGUMENT) {
    return failure(`has ${text.length} characters, at most ${LONGEST_ARGUMENT} are allowed`);
  }
  switch (type) {
    case "boolean": {
      const word = text.trim().toLowerCase();
      return word === "true" || word === "false" ? success(word === "true") : failure(expected("true or false", text));
    }
    case "number": {
      const number = text.trim() === "" ? NaN : Number(text);
      return Number.isFinite(number) ? success(number) : failure(expected("a number", text));
    }
    case "choices": {
      const words = listed(text, choices);
      const wrong = words.find((word) => !choices.includes(word));
      return wrong === undefined ? success(words) : failure(oneOf(choices, wrong));
    }
    case "choice":
    case "text":
    case "prompt":
    case "path":
    case "issue":
    case "memo":
      return choices.length === 0 || choices.includes(text) ? success(text) : failure(oneOf(choices, text));
  }
}

/** The words between commas, or the choices that hold commas themselves. */
function listed(text: string, choices: readonly string[]): readonly string[] {
  const parts = text.split(",");
  const longest = Math.max(...choices.map((one) => one.split(",").length));
  const lengths = Array.from({ length: longest }, (_, index) => longest - index);
  const words: string[] = [];
  for (let at = 0; at < parts.length;) {
    const wordOf = (length: number) => parts.slice(at, at + length).join(",").trim();
    const length = lengths.find((one) => choices.includes(wordOf(one))) ?? 1;
    words.push(wordOf(length));
    at += length;
  }
  return words.filter((word) => word !== "");
}

function oneOf(choices: readonly string[], found: string): string {
  return expected(`one of ${truncate(choices.join(", "), 300)}`, found) + didYouMean(found, choices);
}

function expected(what: string, found: string): string {
  return `must be ${what}, found ${shownValue(found)}`;
}
