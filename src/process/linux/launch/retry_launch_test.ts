import assert from "node:assert/strict";
import { retryLaunch } from "./retry_launch.ts";

/** Looks at these states in turn, and stays at the last. */
async function launched(
  states: readonly string[],
  results: readonly string[],
  mayHaveRaced?: (result: string) => boolean,
): Promise<[string, number, number]> {
  let looks = 0;
  let launches = 0;
  const result = await retryLaunch({
    look: () => ({ key: states[Math.min(looks++, states.length - 1)] ?? "" }),
    launch: () => Promise.resolve(results[Math.min(launches++, results.length - 1)] ?? ""),
    mayTryAgain: (one) => one === "refused",
    ...mayHaveRaced !== undefined && { mayHaveRaced },
  });
  return [result, launches, looks];
}

Deno.test("S8 retryLaunch() launches again exactly where it was refused and what is guarded has changed", async () => {
  assert.deepStrictEqual(await launched(["a"], ["ran"]), ["ran", 1, 1]);
  assert.deepStrictEqual(await launched(["a", "b"], ["ran"]), ["ran", 1, 1]);
  assert.deepStrictEqual(await launched(["a"], ["refused", "ran"]), ["refused", 1, 2]);
  assert.deepStrictEqual(await launched(["a", "b"], ["refused", "ran"]), ["ran", 2, 2]);
  assert.deepStrictEqual(await launched(["a", "b", "b"], ["refused", "refused", "ran"]), ["refused", 2, 3]);
  assert.deepStrictEqual(await launched([..."abcdefgh"], ["refused"]), ["refused", 8, 9]);
  assert.deepStrictEqual(await launched(Array.from({ length: 30 }, (_, index) => `${index}`), ["refused"]), [
    "refused",
    20,
    20,
  ]);
});

Deno.test("S8 retryLaunch() launches again after a change that can no longer be seen, but not for ever", async () => {
  const raced = () => true;
  assert.deepStrictEqual(await launched(["a"], ["refused", "ran"], raced), ["ran", 2, 2]);
  assert.deepStrictEqual(await launched(["a"], ["refused"], raced), ["refused", 10, 11]);
  assert.deepStrictEqual(await launched(["a"], ["refused", "ran"], () => false), ["refused", 1, 2]);
});

Deno.test("S20 retryLaunch() tells of each launch but the first", async () => {
  const told: number[] = [];
  const states = ["a", "b", "c", "c"];
  await retryLaunch({
    look: () => ({ key: states.shift() ?? "" }),
    launch: () => Promise.resolve("refused"),
    mayTryAgain: () => true,
    onAgain: (tries) => told.push(tries),
  });
  assert.deepStrictEqual(told, [2, 3]);
});
