import assert from "node:assert/strict";
import { heldTimer } from "../../../base/_support/timers.ts";
import { delay } from "../../../base/time.ts";
import { BoundedRules } from "./bounded_rules.ts";
import type { ThreadMessage, ThreadRule } from "./rule_thread.ts";

function matching(pattern: string): ThreadRule {
  return { kind: "match", pattern, not: undefined, multiline: false, fix: undefined };
}

const LONGEST_MS = 60_000;
/** Of a text that takes seconds: a thread which the runtime does not stop comes to its end. */
const LENGTH = 24;

/** Resolves when a thread has told what a rule finds. */
function firstFound(): Promise<void> {
  const { Worker: original } = globalThis;
  const { promise, resolve } = Promise.withResolvers<void>();
  globalThis.Worker = class extends original {
    constructor(...words: ConstructorParameters<typeof Worker>) {
      super(...words);
      this.addEventListener("message", ({ data }: MessageEvent<ThreadMessage>) => {
        if (data.kind === "answer" && "found" in data.answer) resolve();
      });
    }
  };
  return promise.finally(() => globalThis.Worker = original);
}

Deno.test("K8 a pattern that never ends is dropped, and the other rules answer before and after it", async () => {
  const rules = [matching("a"), matching("(a+)+$"), matching("b")];
  using bounded = new BoundedRules(rules, { signal: new AbortController().signal, longestMs: LONGEST_MS });
  const found = firstFound();
  const all = [0, 1, 2];
  const text = `${"a".repeat(LENGTH)}b`;
  const limit = heldTimer(LONGEST_MS);
  const asked = bounded.ask({ kind: "match", rules: all, path: "x.ts", text }, "on x.ts");
  // The first rule has answered, the second never does: its time is over now.
  await found;
  await delay(0);
  (await limit)();
  const answers = await asked;
  assert.deepEqual([...answers.keys()].toSorted(), [0, 2]);
  assert.deepEqual(answers.get(2), { found: [{ line: 1, column: LENGTH + 1, fix: undefined }] });
  assert.deepEqual([...bounded.dropped], [[1, "it took longer than 60 s on x.ts"]]);
  const next = await bounded.ask({ kind: "match", rules: all, path: "x.ts", text: "ab" }, "on z.ts");
  assert.deepEqual([...next.keys()], [0, 2]);
});

Deno.test("K8 a cancelled check ends its thread", async () => {
  const abort = new AbortController();
  using bounded = new BoundedRules([matching("(a+)+$")], { signal: abort.signal, longestMs: 60_000 });
  const asked = bounded.ask({ kind: "match", rules: [0], path: "x.ts", text: `${"a".repeat(LENGTH)}b` }, "on x.ts");
  abort.abort();
  await assert.rejects(asked, { message: "The call was cancelled" });
});
