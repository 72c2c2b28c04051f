import assert from "node:assert/strict";
import { concatenate } from "./bytes.ts";

Deno.test("concatenate() copies the parts in order", () => {
  const first = new Uint8Array([1, 2]);
  const whole = concatenate([first, new Uint8Array(), new Uint8Array([3])]);
  first[0] = 9;
  assert.deepStrictEqual(whole, new Uint8Array([1, 2, 3]));
  assert.deepStrictEqual(concatenate([]), new Uint8Array());
});
