import assert from "node:assert/strict";
import { excerptOf } from "./answers.ts";

Deno.test("K4 excerptOf() shows the lines of a piece with most of the terms", () => {
  const text = Array.from({ length: 30 }, (_, at) => at === 20 ? "user name" : `line ${at + 1}`).join("\n");
  const shown = excerptOf(text, { from: 3, to: 25 }, ["user", "name"]);
  assert.deepEqual([shown.length, shown.at(-1)], [5, "  21\tuser name"]);
  assert.deepEqual(excerptOf("a\nb", { from: 2, to: 9 }, []), ["  2\tb"]);
  assert.equal(excerptOf("x".repeat(500), { from: 1, to: 1 }, [])[0]?.length, 164);
});
