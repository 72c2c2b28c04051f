import assert from "node:assert/strict";
import { ServerMessages } from "./server_messages.ts";

const [ONE, TWO] = [1, 2].map((id) => ({ jsonrpc: "2.0" as const, id, method: "roots/list" }));
const [OPEN, CLOSED] = [true, false];

Deno.test("H7 ServerMessages knows which open stream carries what, until the client answers", () => {
  assert.ok(ONE !== undefined && TWO !== undefined);
  const asked = new ServerMessages();
  asked.add(ONE);
  asked.add(TWO);
  assert.deepStrictEqual(asked.uncarried(), [ONE, TWO]);
  asked.written(ONE, 2, OPEN);
  asked.written(TWO, 4, CLOSED);
  assert.deepStrictEqual(asked.uncarried(), [TWO]);
  assert.deepStrictEqual([asked.left(4), asked.left(2), asked.left(2)], [[], [ONE], []]);
  asked.resumed(2, (message) => message !== ONE);
  assert.deepStrictEqual(asked.uncarried(), [TWO]);
  // Not left, as far as was seen, and still what it carried is gone.
  asked.resumed(2, (message) => message === ONE);
  assert.deepStrictEqual(asked.uncarried(), [ONE, TWO]);
  asked.resumed(2, (message) => message !== ONE);
  assert.deepStrictEqual([asked.answered(2), asked.answered(2), asked.uncarried()], [true, false, []]);
  asked.clear();
  assert.deepStrictEqual([asked.answered(1)], [false]);
});

function said(word: string) {
  return { jsonrpc: "2.0" as const, method: word };
}

Deno.test("H7 ServerMessages keeps the newest notifications within its limits, and gives them once", () => {
  const waiting = new ServerMessages();
  const words = Array.from({ length: 257 }, (_, index) => `${index}`);
  for (const word of words) waiting.add(said(word));
  assert.deepStrictEqual(waiting.takeNotifications(), words.slice(1).map(said));
  assert.deepStrictEqual(waiting.takeNotifications(), []);
  const mebibyte = 1024 * 1024;
  const long = said("x".repeat(mebibyte - 100));
  for (const message of [said("a"), said("b".repeat(200)), long]) waiting.add(message);
  assert.deepStrictEqual(waiting.takeNotifications(), [long]);
  waiting.add(said("x".repeat(mebibyte)));
  assert.deepStrictEqual(waiting.takeNotifications(), [], "what is larger than all that may wait does not");
});
