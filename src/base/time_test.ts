import assert from "node:assert/strict";
import { aborted, delay, Timers, withTimeout } from "./time.ts";

const LONG_MS = 60_000;

Deno.test("delay() waits for its whole time, or until its signal aborts, and leaves no timer", async () => {
  const stop = new AbortController();
  const long = delay(LONG_MS, stop.signal);
  assert.deepStrictEqual([await delay(0), await delay(1, new AbortController().signal)], [true, true]);
  stop.abort();
  assert.deepStrictEqual([await long, await delay(LONG_MS, stop.signal)], [false, false]);
});

Deno.test("withTimeout() gives the value or the rejection that comes in time, else undefined", async () => {
  const never = new Promise<string>(() => {});
  assert.deepStrictEqual([await withTimeout(Promise.resolve("a"), LONG_MS), await withTimeout(never, 1)], [
    "a",
    undefined,
  ]);
  await assert.rejects(withTimeout(Promise.reject(new Error("no")), LONG_MS), { message: "no" });
});

Deno.test("aborted() resolves when its signal aborts, and at once where it has", async () => {
  const stop = new AbortController();
  const both = Promise.all([aborted(stop.signal), stop.signal]);
  stop.abort();
  await both;
  await aborted(stop.signal);
  assert.equal(await withTimeout(aborted(undefined).then(() => "resolved"), 1), undefined);
});

Deno.test("Timers.start() acts once, after its time, unless it is taken back: the first ones as all others", async () => {
  const timers = new Timers();
  const acted: number[] = [];
  for (let number = 0; number < 6; number++) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const began = performance.now();
    const leave = timers.start(20, () => acted.push(number));
    if (number % 2 === 0) leave();
    timers.start(40, resolve);
    await promise;
    assert.ok(performance.now() - began >= 39);
  }
  assert.deepStrictEqual(acted, [1, 3, 5]);
});
