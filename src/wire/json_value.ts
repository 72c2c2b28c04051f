/** Values that came from JSON, of which nothing else is known. */
import { failure, type Outcome, success } from "../base/outcome.ts";

/** The value of a text; the problem is what the parser says. */
export function parseJson(text: string): Outcome<unknown> {
  try {
    return success(JSON.parse(text));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return failure(thrown.message);
    throw thrown;
  }
}

/** A member of a value of any type; undefined where there is none. */
export function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Whether a value is an object with members, and no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
