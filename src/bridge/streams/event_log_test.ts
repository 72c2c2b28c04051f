import { strict as assert } from "node:assert";
import { EventLog } from "./event_log.ts";

Deno.test("H7 EventLog replays one stream after one event, and knows its own ids only", () => {
  const log = new EventLog();
  const ids = [[1, "a"], [2, "b"], [1, "c"], [1, "d"]].map(([stream, data]) =>
    log.add(Number(stream), String(data), "message").id
  );
  assert.deepStrictEqual(ids, ["1-1", "2-2", "1-3", "1-4"]);
  assert.deepStrictEqual(log.after("1-1")?.events.map(({ data }) => data), ["c", "d"]);
  assert.deepStrictEqual(log.after("2-2"), { stream: 2, events: [], missing: undefined });
  assert.deepStrictEqual(
    ["", "x", "1-0", "1-99", "1-1-1", "-1-1"].map((id) => log.after(id)),
    Array(6).fill(undefined),
  );
});

Deno.test("H7 EventLog stays within its limits and keeps the newest", () => {
  const log = new EventLog();
  for (let index = 0; index < 3_000; index++) log.add(1, "x".repeat(50), "message");
  assert.ok((log.after("1-1")?.events.length ?? 9_999) <= 1_000);
  const { length } = "y".repeat(2 * 1024 * 1024);
  log.add(1, "y".repeat(length), "message");
  assert.deepStrictEqual(log.after("1-1")?.events.map(({ data }) => data.length), [length]);
});

Deno.test("H7 EventLog knows what a replay lacks", () => {
  const log = new EventLog();
  // After as many as are kept, none of the earlier ones is.
  const push = () => Array.from({ length: 1_000 }).forEach(() => log.add(9, "", "nothing"));
  const missingAfter = (...ids: readonly string[]) => ids.map((id) => log.after(id)?.missing);
  log.add(1, "opening", "nothing");
  log.add(1, "progress", "nothing");
  push();
  assert.deepStrictEqual(missingAfter("1-1", "1-2"), [undefined, undefined], "the next progress tells the same");
  assert.strictEqual(log.add(3, "word", "message").id, "3-1003");
  assert.strictEqual(log.add(3, "answer", { answerTo: "c" }).id, "3-1004");
  assert.deepStrictEqual(missingAfter("3-1003", "3-1004"), [undefined, undefined], "it is kept");
  push();
  assert.deepStrictEqual(missingAfter("3-1002", "3-1003", "3-1004"), [{ answerTo: "c" }, { answerTo: "c" }, undefined]);
  log.add(2, "word", "message");
  push();
  assert.deepStrictEqual(missingAfter("2-2004", "2-2005"), ["message", undefined]);
  // The gaps of 1,000 streams are remembered, and that of the third stream was the first.
  for (let stream = 10; stream < 1_009; stream++) log.add(stream, "word", "message");
  push();
  assert.deepStrictEqual(missingAfter("3-1003", "3-1004", "2-2004"), ["unknown", undefined, "message"]);
});
