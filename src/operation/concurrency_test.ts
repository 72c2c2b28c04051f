import type { CommandEnd } from "../base/command/command_end.ts";
import { strict as assert } from "node:assert";
import { SILENT } from "../base/log.ts";
import { OperationRegistry } from "./registry.ts";
import { type Turn, Turns } from "./concurrency.ts";

const FREE: Turn = { exclusive: [] };

Deno.test("X12 Turns lets so many run, and the others in the order they came", () => {
  const turns = new Turns(2);
  const started: string[] = [];
  assert.deepStrictEqual([turns.begin(FREE), turns.begin({ ...FREE }), turns.begin({ ...FREE })], [true, true, false]);
  const [a, b] = [{ ...FREE }, { ...FREE }];
  turns.wait(a, () => started.push("a"));
  turns.wait(b, () => started.push("b"));
  assert.deepStrictEqual([turns.position(a), turns.position(b), turns.position(FREE)], [1, 2, undefined]);
  turns.leave(a);
  turns.end(FREE);
  turns.end(FREE);
  assert.deepStrictEqual(started, ["b"]);
});

Deno.test("X13 Turns keeps works with the same key apart and lets others pass", () => {
  const turns = new Turns(8);
  const started: string[] = [];
  const first = { exclusive: ["cargo /a"] };
  const second = { exclusive: ["cargo /a"] };
  assert.deepStrictEqual([turns.begin(first), turns.begin(second)], [true, false]);
  turns.wait(second, () => started.push("second"));
  assert.ok(turns.begin({ exclusive: ["cargo /b"] }));
  turns.end(first);
  assert.deepStrictEqual(started, ["second"]);
});

Deno.test("X12 H2 two registries share their turns and nothing else", async () => {
  const turns = new Turns(1);
  const [one, other] = [turns, turns].map((maxConcurrency) => new OperationRegistry({ maxConcurrency, log: SILENT }));
  assert.ok(one !== undefined && other !== undefined);
  const ends: ((end: CommandEnd) => void)[] = [];
  const work = () => new Promise<CommandEnd>((resolve) => ends.push(resolve));
  const first = one.start("a", "a", work);
  const second = other.start("b", "b", work);
  assert.deepStrictEqual([first.state, second.state, other.queuePosition(second.id)], ["running", "queued", 1]);
  assert.deepStrictEqual([other.get(first.id), one.get(second.id)], [undefined, undefined]);
  assert.deepStrictEqual([one.list().length, other.list().length], [1, 1]);
  ends[0]?.({ kind: "exited", code: 0 });
  await first.ended;
  assert.deepStrictEqual([one.undelivered().length, other.undelivered().length], [1, 0]);
  ends[1]?.({ kind: "exited", code: 0 });
  await second.ended;
});
