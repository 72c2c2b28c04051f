import assert from "node:assert/strict";
import { firstMatch } from "./first_match.ts";
import type { LinePattern } from "./line_pattern.ts";

/** A text that is tried on few characters, and what it was tried on. */
function shortSighted(source: string, longest: number): LinePattern & { readonly tried: string[] } {
  const tried: string[] = [];
  return { source, steps: 0, longest, tried, occursIn: (text) => tried.push(text) > 0 && text.includes(source) };
}

Deno.test("X20 firstMatch() tries lines together as far as the pattern takes them, and a long one in parts", async () => {
  const pattern = shortSighted("x", 5);
  const never = () => false;
  assert.strictEqual(await firstMatch(pattern, ["a", "b", "cc", "0123456789", "", "ax", "x"], never), 5);
  assert.deepStrictEqual(pattern.tried, ["a\nb", "cc", "01234", "56789", "\nax\nx", "", "ax", "x"]);
  assert.strictEqual(await firstMatch(shortSighted("\n", 5), ["a", "b"], never), -1);
  assert.strictEqual(await firstMatch(shortSighted("x", 5), [], never), -1);
});

Deno.test("X20 S22 firstMatch() lets other work have its turn, and gives up when it is told so", async () => {
  const slow: LinePattern = {
    source: "slow",
    steps: 0,
    longest: 1,
    occursIn: () => {
      const end = performance.now() + 2;
      while (performance.now() < end);
      return false;
    },
  };
  let turns = 0;
  const lines = Array.from({ length: 1_000_000 }, () => "a");
  assert.strictEqual(await firstMatch(slow, lines, () => ++turns === 3), -1);
});
