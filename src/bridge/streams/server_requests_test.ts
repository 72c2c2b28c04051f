import assert from "node:assert/strict";
import { ServerRequests } from "./server_requests.ts";

const [ONE, TWO] = [1, 2].map((id) => ({ jsonrpc: "2.0" as const, id, method: "roots/list" }));
const [OPEN, CLOSED] = [true, false];

Deno.test("H7 ServerRequests knows which open stream carries what, until the client answers", () => {
  assert.ok(ONE !== undefined && TWO !== undefined);
  const asked = new ServerRequests();
  asked.add(1, ONE);
  asked.add(2, TWO);
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
