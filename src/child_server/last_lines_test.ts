import assert from "node:assert/strict";
import { LastLines } from "./last_lines.ts";

Deno.test("H10 K2 LastLines keeps the last lines that say something, each cut short and without hidden characters", () => {
  const tail = new LastLines({ most: 5 });
  assert.deepStrictEqual(tail.lines, []);
  for (const line of ["one", "two", "", "three", "  four  ", "fi\u200bve", "x".repeat(400), "  "]) tail.add(line);
  assert.deepStrictEqual(tail.lines, ["two", "three", "four", "five", `${"x".repeat(299)}…`]);
  tail.clear();
  tail.add("again");
  assert.deepStrictEqual(tail.lines, ["again"]);
  const short = new LastLines({ most: 1, longest: 3, noise: /^#/ });
  for (const line of ["first", "second", "# third"]) short.add(line);
  assert.deepStrictEqual(short.lines, ["se…"]);
});
