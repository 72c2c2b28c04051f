import assert from "node:assert/strict";
import fc from "fast-check";
import { MatchBudget, mostSteps } from "./pattern.ts";

/** What one call may take. */
const CALL = 20_000_000;

Deno.test("T6 mostSteps() multiplies choices and counts repetitions, and has no bound for groups that repeat", () => {
  const bounds: readonly (readonly [string, number, number])[] = [
    ["", 10, 12],
    ["abc", 10, 48],
    ["^abc", 10, 10],
    ["^v[0-9]+$", 10, 84],
    ["^(feat|fix): ", 10, 42],
    ["a{3}", 10, 72],
    ["^a{1000}$", 10, 1_020],
    ["^a{2,4}", 10, 26],
    ["^(a+)+$", 1, Infinity],
    ["^(a|a)*$", 1, Infinity],
    ["^(ab)?$", 1, Infinity],
    ["^(?=a)a", 1, Infinity],
    ["(.*)\\1", 1, Infinity],
    ["a{100000}", 1, Infinity],
    ["a{1000}".repeat(30), 1, Infinity],
    ["x".repeat(1001), 1, Infinity],
  ];
  assert.deepStrictEqual(bounds.map(([pattern, length]) => [pattern, length, mostSteps(pattern, length)]), bounds);
});

Deno.test("T6 what tool files have for patterns is tried with values of ordinary length, and hard ones are not", () => {
  const tried = (pattern: string, length: number) => mostSteps(pattern, length) <= CALL;
  const ordinary = [
    ["^v[0-9]+\\.[0-9]{1,3}\\.[0-9]+$", 100],
    ["^(feat|fix|docs|test): .+", 1_000],
    ["^[a-z()+]+\\(\\)$", 1_000],
    ["[a-z]+@[a-z]+", 60],
    ["^https://", 100_000],
    ["a*b", 1_000],
  ] as const;
  const hard = [
    ["a*a{1000}b", 2_000],
    ["a{1000}".repeat(15) + "b", 100_000],
    ["^" + "a?".repeat(30) + "b$", 30],
    ["^" + "a*".repeat(10) + "b$", 60],
    ["^" + "(a|a)".repeat(30) + "b$", 40],
    ["a*b", 100_000],
  ] as const;
  assert.deepStrictEqual(ordinary.filter(([pattern, length]) => !tried(pattern, length)), []);
  assert.deepStrictEqual(hard.filter(([pattern, length]) => tried(pattern, length)), []);
});

Deno.test("T6 MatchBudget answers as JavaScript does while there are steps left, and yes after them", () => {
  const part = fc.constantFrom(
    "a",
    "b",
    "[ab]",
    ".",
    "a*",
    "b+",
    "a?",
    "b{2}",
    "[ab]{1,2}",
    "(a|b)",
    "(?:aa|b|c)",
    "|",
  );
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 });
  fc.assert(fc.property(fc.array(part, { maxLength: 6 }), text, fc.boolean(), (parts, value, anchored) => {
    const pattern = `${anchored ? "^" : ""}${parts.join("")}`;
    assert.equal(new MatchBudget(CALL).matches(pattern, value), new RegExp(pattern, "u").test(value));
  }));
  const budget = new MatchBudget(2.5 * mostSteps("^a+$", 100));
  const answers = Array.from({ length: 4 }, () => budget.matches("^a+$", "b".repeat(100)));
  assert.deepStrictEqual(answers, [false, false, true, true]);
});
