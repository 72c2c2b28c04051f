import assert from "node:assert/strict";
import { PendingMessages } from "./pending_messages.ts";

function said(word: string) {
  return { jsonrpc: "2.0" as const, method: word };
}

Deno.test("H7 PendingMessages keeps the newest within its limits, and gives them once", () => {
  const waiting = new PendingMessages({ messages: 3, size: 200 });
  for (const word of ["a", "b", "c", "d"]) waiting.add(said(word));
  assert.deepStrictEqual(waiting.take(), ["b", "c", "d"].map(said));
  assert.deepStrictEqual(waiting.take(), []);
  for (const word of ["a", "b", "x".repeat(150)]) waiting.add(said(word));
  assert.deepStrictEqual(waiting.take(), [said("x".repeat(150))]);
  waiting.add(said("x".repeat(300)));
  assert.deepStrictEqual(waiting.take(), [], "what is larger than all that may wait does not");
});
