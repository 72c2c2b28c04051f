import assert from "node:assert/strict";
import { heldTimer } from "../../../base/_support/timers.ts";
import { delay } from "../../../base/time.ts";
import { helpersForTests } from "../../helper/_support/helpers.ts";
import { Helper } from "../../helper/helper.ts";
import type { TextEngine } from "../format/rule.ts";
import { BoundedRules } from "./bounded_rules.ts";

function matching(pattern: string): TextEngine {
  return { kind: "match", pattern, not: undefined, multiline: false, fix: undefined };
}

const LONGEST_MS = 60_000;
const HOSTILE = `${"a".repeat(60)}b`;

/** Resolves when a helper has told what a rule finds. */
function firstFound(): Promise<void> {
  const { ask } = Helper.prototype;
  const { promise, resolve } = Promise.withResolvers<void>();
  Helper.prototype.ask = function (kind, task, options) {
    const onPart = (part: Parameters<NonNullable<typeof options.onPart>>[0]) => {
      options.onPart?.(part);
      resolve();
    };
    return ask.call(this, kind, task, { ...options, onPart } as Parameters<typeof ask>[2]) as never;
  };
  return promise.finally(() => Helper.prototype.ask = ask);
}

Deno.test("K8 a pattern that never ends is dropped, and the other rules answer before and after it", async () => {
  const rules = [matching("a"), matching("(a+)+$"), matching("b"), undefined];
  const { signal } = new AbortController();
  await using helpers = helpersForTests();
  const bounded = new BoundedRules(rules, { helpers, signal, longestMs: LONGEST_MS });
  const found = firstFound();
  const all = [0, 1, 2, 3];
  const limit = heldTimer(LONGEST_MS);
  const asked = bounded.ask({ rules: all, path: "x.ts", text: HOSTILE });
  // The first rule has answered, the second never does: its time is over now.
  await found;
  await delay(0);
  (await limit)();
  const answers = await asked;
  assert.deepEqual([...answers.keys()].toSorted(), [0, 2]);
  assert.deepEqual(answers.get(2), { found: [{ line: 1, column: 61 }] });
  assert.deepEqual([...bounded.dropped], [[1, "it took longer than 60 s on x.ts"]]);
  const next = await bounded.ask({ rules: all, path: "z.ts", text: "ab" });
  assert.deepEqual([...next.keys()], [0, 2]);
});

Deno.test("K8 a cancelled check ends its helper", async () => {
  const abort = new AbortController();
  await using helpers = helpersForTests();
  const bounded = new BoundedRules([matching("(a+)+$")], { helpers, signal: abort.signal });
  const asked = bounded.ask({ rules: [0], path: "x.ts", text: HOSTILE });
  abort.abort();
  await assert.rejects(asked, { message: "The call was cancelled" });
});
