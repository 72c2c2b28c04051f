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
  const log = new EventLog({ events: 10, size: 1000, gaps: 10 });
  for (let index = 0; index < 100; index++) log.add(1, "x".repeat(50), "message");
  assert.ok((log.after("1-1")?.events.length ?? 99) <= 10);
  log.add(1, "y".repeat(5000), "message");
  assert.deepStrictEqual(log.after("1-1")?.events.map(({ data }) => data.length), [5000]);
});

Deno.test("H7 EventLog knows what a replay lacks", () => {
  const log = new EventLog({ events: 2, size: 1000, gaps: 2 });
  // Three are too many, and two of them go: an eighth more than is needed.
  const push = () => [0, 1, 2, 3].forEach(() => log.add(99, "", "nothing"));
  const missingAfter = (...ids: readonly string[]) => ids.map((id) => log.after(id)?.missing);
  log.add(1, "opening", "nothing");
  log.add(1, "progress", "nothing");
  push();
  assert.deepStrictEqual(missingAfter("1-1", "1-2"), [undefined, undefined], "the next progress tells the same");
  assert.strictEqual(log.add(3, "word", "message").id, "3-7");
  assert.strictEqual(log.add(3, "answer", { answerTo: "c" }).id, "3-8");
  assert.deepStrictEqual(missingAfter("3-7", "3-8"), [undefined, undefined], "it is kept");
  push();
  assert.deepStrictEqual(missingAfter("3-6", "3-7", "3-8"), [{ answerTo: "c" }, { answerTo: "c" }, undefined]);
  log.add(2, "word", "message");
  push();
  assert.deepStrictEqual(missingAfter("2-12", "2-13"), ["message", undefined]);
  log.add(4, "word", "message");
  push();
  // Of the first stream is forgotten what it had.
  assert.deepStrictEqual(missingAfter("3-7", "3-8", "2-12", "4-17"), ["unknown", undefined, "message", "message"]);
});
