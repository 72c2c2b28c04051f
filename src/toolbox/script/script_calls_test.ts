import assert from "node:assert/strict";
import type { ScriptAnswer } from "./messages.ts";
import { ScriptCalls } from "./script_calls.ts";

const { signal } = new AbortController();
const ANSWER: ScriptAnswer = { text: "ten chars.", isError: false };

/** Calls that end when they are told to, and the most that ran at once. */
function held(): { readonly calls: ScriptCalls; readonly endOne: () => void; readonly most: () => number } {
  const running: ((answer: ScriptAnswer) => void)[] = [];
  let most = 0;
  const calls = new ScriptCalls(async () => {
    const { promise, resolve } = Promise.withResolvers<ScriptAnswer>();
    most = Math.max(most, running.push(resolve));
    return await promise;
  }, signal);
  return { calls, endOne: () => running.shift()?.(ANSWER), most: () => most };
}

Deno.test("K11 ScriptCalls has at most eight calls running, also where an answer brings the next call", async () => {
  const { calls, endOne, most } = held();
  const answers = Array.from({ length: 12 }, () => calls.make("one", {}));
  const further = answers.map((answer) => answer.then(() => calls.make("one", {})));
  let settled = 0;
  for (const one of further) void one.then(() => settled++);
  while (settled < 12) {
    endOne();
    await Promise.resolve();
  }
  await calls.settled();
  assert.deepStrictEqual([most(), calls.count, calls.received], [8, 24, 240]);
});

Deno.test("K11 ScriptCalls refuses what is beyond 200 calls, and throws at once beyond 400", async () => {
  const calls = new ScriptCalls(() => Promise.resolve(ANSWER), signal);
  const answers = await Promise.all(Array.from({ length: 400 }, () => calls.make("one", {})));
  assert.deepStrictEqual(answers.filter(({ isError }) => isError).length, 200);
  assert.throws(() => calls.make("one", {}), /^Error: The script made more than 200 calls$/);
  assert.deepStrictEqual([calls.count, calls.received], [200, 2000]);
});

Deno.test("K11 ScriptCalls turns an answer that cannot be passed on into an error, and goes on", async () => {
  const made = (name: string) => Promise.resolve(name === "bad" ? { ...ANSWER, structured: 1n } : ANSWER);
  const calls = new ScriptCalls(made, signal);
  assert.match((await calls.make("bad", {})).text, /BigInt/);
  assert.deepStrictEqual(await calls.make("one", {}), ANSWER);
});
