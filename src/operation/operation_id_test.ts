import { strict as assert } from "node:assert";
import { isOperationId, OperationIds, shortId } from "./operation_id.ts";

Deno.test("X11 OperationIds makes op_ and a ULID, the time first", () => {
  assert.match(new OperationIds().next(Date.now()), /^op_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
  // The time of the ULID specification's example.
  assert.strictEqual(new OperationIds().next(1469918176385).slice(0, 13), "op_01ARYZ6S41");
});

Deno.test("X11 OperationIds rise and never repeat, within a millisecond, across them, and when the clock is set back", () => {
  const ids = new OperationIds();
  const times = [...Array<number>(1000).fill(5), 6, 7, 7, 3, 31, 32, 32, 1e9, 1.6e12, 1.7e12];
  const made = times.map((time) => ids.next(time));
  assert.deepStrictEqual([...new Set(made)].sort(), made);
});

Deno.test("X11 two OperationIds of the same moment make different ids", () => {
  assert.notStrictEqual(new OperationIds().next(5), new OperationIds().next(5));
});

Deno.test("X11 shortId() makes op_ and 8 random digits", () => {
  const made = Array.from({ length: 1000 }, () => shortId());
  assert.deepStrictEqual(made.filter((id) => !/^op_[0-9A-HJKMNP-TV-Z]{8}$/.test(id)), []);
  assert.strictEqual(new Set(made).size, 1000);
});

Deno.test("X11 isOperationId() takes what OperationIds and shortId() make, and nothing else", () => {
  const id = new OperationIds().next(Date.now());
  assert.ok(isOperationId(shortId()));
  assert.deepStrictEqual([id, id.toLowerCase(), `${id}0`, id.slice(0, -1), "op_none", ""].map(isOperationId), [
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});
