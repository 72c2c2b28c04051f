/** Functions on parsed JSON values of unknown type. */
import { failure, type Outcome, success } from "../base/outcome.ts";

/** The value of a text; the problem is the parser's message. */
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

/** Whether a value has more keys and list items than `most`, on all levels; stops counting there. */
export function hasMoreMembers(value: unknown, most: number): boolean {
  const found = [value];
  for (const one of found) {
    const members: readonly unknown[] = typeof one === "object" && one !== null ? Object.values(one) : [];
    if (found.length + members.length - 1 > most) return true;
    found.push(...members);
  }
  return false;
}

/** All strings in a value, at any depth, without keys. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The approximate length of a value as JSON, without writing the JSON. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  return Object.entries(value).reduce((size, [key, one]) => size + key.length + sizeOf(one), 2);
}
