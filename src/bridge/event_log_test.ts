import { strict as assert } from "node:assert";
import { EventLog } from "./event_log.ts";

Deno.test("H7 EventLog replays one stream after one event, and knows its own ids only", () => {
  const log = new EventLog();
  const ids = [[1, "a"], [2, "b"], [1, "c"], [1, "d"]].map(([stream, data]) =>
    log.add(Number(stream), String(data)).id
  );
  assert.deepStrictEqual(ids, ["1-1", "2-2", "1-3", "1-4"]);
  assert.deepStrictEqual(log.after("1-1")?.events.map(({ data }) => data), ["c", "d"]);
  assert.deepStrictEqual(log.after("2-2"), { stream: 2, events: [] });
  assert.deepStrictEqual(
    ["", "x", "1-0", "1-99", "1-1-1", "-1-1"].map((id) => log.after(id)),
    Array(6).fill(undefined),
  );
});

Deno.test("H7 EventLog stays within its limits and keeps the newest", () => {
  const log = new EventLog({ events: 10, size: 1000 });
  for (let index = 0; index < 100; index++) log.add(1, "x".repeat(50));
  assert.ok((log.after("1-1")?.events.length ?? 99) <= 10);
  log.add(1, "y".repeat(5000));
  assert.deepStrictEqual(log.after("1-1")?.events.map(({ data }) => data.length), [5000]);
});
