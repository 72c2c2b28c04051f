import assert from "node:assert/strict";
import { StderrTail } from "./stderr_tail.ts";

Deno.test("H10 StderrTail keeps the last lines that are not blank, each cut short", () => {
  const tail = new StderrTail();
  assert.strictEqual(tail.after("It ended."), "It ended.");
  for (const line of ["one", "two", "", "three", "  four  ", "five", "x".repeat(400), "  "]) tail.add(line);
  assert.strictEqual(
    tail.after("It ended."),
    `It ended. Its last words: two | three |   four | five | ${"x".repeat(300)}`,
  );
  tail.clear();
  tail.add("again");
  assert.strictEqual(tail.after("It ended."), "It ended. Its last words: again");
});
