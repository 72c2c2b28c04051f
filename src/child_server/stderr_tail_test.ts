import assert from "node:assert/strict";
import { StderrTail } from "./stderr_tail.ts";

Deno.test("H10 the last words are the last lines that say something, each cut short", () => {
  const words = new StderrTail();
  assert.strictEqual(words.after("It ended."), "It ended.");
  for (const line of ["one", "two", "", "three", "  four  ", "five", "x".repeat(400), "  "]) words.add(line);
  assert.strictEqual(
    words.after("It ended."),
    `It ended. Its last words: two | three |   four | five | ${"x".repeat(300)}`,
  );
  words.clear();
  words.add("again");
  assert.strictEqual(words.after("It ended."), "It ended. Its last words: again");
});
