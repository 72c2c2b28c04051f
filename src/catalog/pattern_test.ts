import assert from "node:assert/strict";
import { longestChecked, matchesPattern } from "./pattern.ts";

Deno.test("longestChecked() is short for patterns with many choices, and none for those without limit", () => {
  const lengths: readonly (readonly [string, number])[] = [
    ["^v[0-9]+$", 100_000],
    ["^(feat|fix): ", 100_000],
    ["abc", 100_000],
    ["^[a-z()+]+\\(\\)$", 100_000],
    ["a*b", 2_000],
    ["^a*b*$", 2_000],
    ["^v[0-9]+\\.[0-9]{1,3}\\.[0-9]+$", 150],
    ["^a|b$", 2_000],
    ["^a*b*c*d*$", -1],
    ["^(a+)+$", -1],
    ["^(a|a)*$", -1],
    ["^(ab)?$", -1],
    ["^(?=a)a", -1],
    ["(.*)\\1", -1],
    ["a{100000}", -1],
    ["a?".repeat(30), -1],
    ["x".repeat(1001), -1],
  ];
  assert.deepStrictEqual(lengths.map(([pattern]) => [pattern, longestChecked(pattern)]), lengths);
});

Deno.test("T6 matchesPattern() answers at once, whatever the pattern and the value", () => {
  const hard = [
    ["^(a|a|a|a|a|a)+$", 19],
    ["^" + "a*".repeat(10) + "b$", 60],
    ["^" + "a?".repeat(30) + "b$", 30],
    ["^" + "a{0,50}".repeat(6) + "b$", 60],
    ["^a*a*a*b$", 150],
    ["a*a*b", 150],
    ["a*b", 2_000],
    ["^a*b", 100_000],
    ["^" + "(a|a)".repeat(30) + "b$", 40],
  ] as const;
  for (const [pattern, length] of hard) matchesPattern(pattern, "a".repeat(length) + "!");
  assert.deepStrictEqual(
    [matchesPattern("^v[0-9]+$", "v12"), matchesPattern("^v[0-9]+$", "12"), matchesPattern("^(a+)+$", "b")],
    [true, false, true],
  );
});
