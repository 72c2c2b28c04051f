import assert from "node:assert/strict";
import { OutputTail } from "./output_tail.ts";

function tailOf(...chunks: readonly string[]): string {
  const tail = new OutputTail();
  for (const chunk of chunks) tail.add(new TextEncoder().encode(chunk));
  return tail.text();
}

Deno.test("S15 OutputTail keeps the last 8 KiB in order", () => {
  assert.strictEqual(tailOf(), "");
  assert.strictEqual(tailOf("a", "b"), "ab");
  const long = "0123456789".repeat(2000);
  assert.strictEqual(tailOf(long), long.slice(-8192));
  assert.strictEqual(tailOf(long, "end"), `${long}end`.slice(-8192));
  assert.strictEqual(tailOf(...long), long.slice(-8192));
  assert.strictEqual(tailOf("x".repeat(8000), "y".repeat(500)), "x".repeat(7692) + "y".repeat(500));
});
