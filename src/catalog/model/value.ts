import { shownValue } from "../../base/text.ts";
import type { LeafArgument } from "./leaf.ts";
import { MatchBudget } from "./pattern.ts";

/** Steps for the values of one call. */
const STEPS_OF_CALL = 20_000_000;
/** Steps for the defaults of a tool file: a fixed number, and more for each of its characters. */
const LEAST_STEPS_OF_FILE = 100_000;
const STEPS_PER_CHARACTER = 100;

/** Checks values of calls and defaults in bounded time, as the JSON Schema of `inputSchemaOf` does (T6). */
export class ValueCheck {
  readonly #budget: MatchBudget;
  readonly #allowed = new Map<LeafArgument, ReadonlySet<unknown>>();

  private constructor(steps: number) {
    this.#budget = new MatchBudget(steps);
  }

  static ofCall(): ValueCheck {
    return new ValueCheck(STEPS_OF_CALL);
  }

  /** `length`: of the file, in UTF-16 units. */
  static ofFile(length: number): ValueCheck {
    return new ValueCheck(LEAST_STEPS_OF_FILE + STEPS_PER_CHARACTER * length);
  }

  /** What is wrong with a value given for an argument, or undefined: `is "3", expected a whole number`. */
  problemOf(argument: LeafArgument, value: unknown): string | undefined {
    if (argument.type !== "array") return this.#problemOfScalar(argument, argument.type, value);
    if (!Array.isArray(value)) return `is ${shown(value)}, expected ${expectedOf(argument)}`;
    if (value.length === 0 && argument.required) return "is an empty list, expected at least one element";
    const type = argument.items?.type ?? "string";
    for (const [index, element] of value.entries()) {
      const problem = this.#problemOfScalar(argument, type, element);
      if (problem !== undefined) return `${problem} (element ${index} of the list)`;
    }
    return undefined;
  }

  #problemOfScalar(argument: LeafArgument, type: ScalarType, value: unknown): string | undefined {
    if (type !== "string" && isLossy(value)) {
      return `is ${shown(value)}: whole numbers beyond ${Number.MAX_SAFE_INTEGER} lose digits in JSON, ` +
        "so it may differ from the one that was sent";
    }
    const fits = isOfType(type, value) && (type === "boolean" || this.#isAllowed(argument, value));
    return fits ? undefined : `is ${shown(value)}, expected ${expectedScalar(argument, type)}`;
  }

  #isAllowed(argument: LeafArgument, value: unknown): boolean {
    if (argument.enum !== undefined) {
      const allowed = this.#allowed.get(argument) ?? new Set<unknown>(argument.enum);
      this.#allowed.set(argument, allowed);
      if (!allowed.has(value)) return false;
    }
    if (typeof value === "number") {
      return value >= (argument.minimum ?? -Infinity) && value <= (argument.maximum ?? Infinity);
    }
    return typeof value !== "string" || argument.pattern === undefined || this.#budget.matches(argument.pattern, value);
  }
}

/** What an argument takes, in words: `a whole number from 1 to 9`. */
export function expectedOf(argument: LeafArgument): string {
  if (argument.type !== "array") return expectedScalar(argument, argument.type);
  return `a list, each element ${expectedScalar(argument, argument.items?.type ?? "string")}`;
}

/** JSON of a value as messages show it, cut to a readable length. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return shownValue(value);
}

type ScalarType = Exclude<LeafArgument["type"], "array">;

/** Whether two whole numbers in JSON text parse to this one (T7). */
function isLossy(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
}

function isOfType(type: ScalarType, value: unknown): boolean {
  const found = typeof value;
  return type === "integer" ? Number.isInteger(value) : found === type;
}

/** More values of an enum than this are not listed in a message. */
const MOST_LISTED = 100;

function expectedScalar(argument: LeafArgument, type: ScalarType): string {
  if (type === "boolean") return "true or false";
  if (argument.enum !== undefined) {
    const more = argument.enum.length > MOST_LISTED ? `, … (${argument.enum.length} values)` : "";
    return `one of ${argument.enum.slice(0, MOST_LISTED).map((allowed) => JSON.stringify(allowed)).join(", ")}${more}`;
  }
  if (type === "string") return argument.pattern === undefined ? "a text" : `a text that matches ${argument.pattern}`;
  const kind = type === "integer" ? "a whole number" : "a number";
  const from = argument.minimum === undefined ? "" : ` from ${argument.minimum}`;
  const to = argument.maximum === undefined ? "" : ` up to ${argument.maximum}`;
  return `${kind}${from}${to} (not in quotes)`;
}
