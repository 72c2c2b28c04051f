import type { LeafArgument } from "./leaf.ts";
import { matchesPattern } from "./pattern.ts";

/**
 * What is wrong with a value given for an argument, or undefined: `is "3", expected a whole number`.
 * Says the same as the JSON Schema of `inputSchemaOf` (T6); the one place for calls and for defaults in tool files.
 */
export function problemOfValue(argument: LeafArgument, value: unknown): string | undefined {
  if (argument.type !== "array") return problemOfScalar(argument, argument.type, value);
  if (!Array.isArray(value)) return `is ${shown(value)}, expected ${expectedOf(argument)}`;
  if (value.length === 0 && argument.required) return "is an empty list, expected at least one element";
  const type = argument.items?.type ?? "string";
  for (const [index, element] of value.entries()) {
    const problem = problemOfScalar(argument, type, element);
    if (problem !== undefined) return `${problem} (element ${index} of the list)`;
  }
  return undefined;
}

/** What an argument takes, in words: `a whole number from 1 to 9`. */
export function expectedOf(argument: LeafArgument): string {
  if (argument.type !== "array") return expectedScalar(argument, argument.type);
  return `a list, each element ${expectedScalar(argument, argument.items?.type ?? "string")}`;
}

/** JSON of a value as messages show it, cut where the message would drown in it. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const text = JSON.stringify(value) ?? "missing";
  return text.length > 80 ? text.slice(0, 80) + "…" : text;
}

type ScalarType = Exclude<LeafArgument["type"], "array">;

function problemOfScalar(argument: LeafArgument, type: ScalarType, value: unknown): string | undefined {
  if (type !== "string" && isLossy(value)) {
    return `is ${shown(value)}: whole numbers beyond ${Number.MAX_SAFE_INTEGER} lose digits in JSON, ` +
      "so this need not be the one that was sent";
  }
  return fits(argument, type, value) ? undefined : `is ${shown(value)}, expected ${expectedScalar(argument, type)}`;
}

/** Whether two whole numbers of JSON text give this one (T7). */
function isLossy(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
}

function fits(argument: LeafArgument, type: ScalarType, value: unknown): boolean {
  switch (type) {
    case "boolean":
      return typeof value === "boolean";
    case "string":
      return typeof value === "string" && inEnum(argument, value) && matches(argument, value);
    case "integer":
      return Number.isInteger(value) && inEnum(argument, value) && inRange(argument, Number(value));
    case "number":
      return typeof value === "number" && inEnum(argument, value) && inRange(argument, value);
  }
}

function inEnum(argument: LeafArgument, value: unknown): boolean {
  return argument.enum === undefined || argument.enum.some((allowed) => allowed === value);
}

function matches(argument: LeafArgument, value: string): boolean {
  return argument.pattern === undefined || matchesPattern(argument.pattern, value);
}

function inRange(argument: LeafArgument, value: number): boolean {
  return value >= (argument.minimum ?? -Infinity) && value <= (argument.maximum ?? Infinity);
}

function expectedScalar(argument: LeafArgument, type: ScalarType): string {
  if (type === "boolean") return "true or false";
  if (argument.enum !== undefined) {
    return `one of ${argument.enum.map((allowed) => JSON.stringify(allowed)).join(", ")}`;
  }
  if (type === "string") return argument.pattern === undefined ? "a text" : `a text that matches ${argument.pattern}`;
  const kind = type === "integer" ? "a whole number" : "a number";
  const from = argument.minimum === undefined ? "" : ` from ${argument.minimum}`;
  const to = argument.maximum === undefined ? "" : ` up to ${argument.maximum}`;
  return `${kind}${from}${to} (not in quotes)`;
}
