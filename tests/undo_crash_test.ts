/** S39: a server with `--undo` that is killed at any moment leaves a sound store, and files in one of two states. */
import assert from "node:assert/strict";
import { Crashes, type Killed } from "./undo_crashes/crashes.ts";

Deno.test("S39 a server killed in a scan, an operation or an undo leaves files and the store intact, 12 times", async () => {
  const seen: Killed[] = [];
  await using crashes = new Crashes((killed) => seen.push(killed));
  await crashes.kill(12);
  assert.equal(seen.length, 12);
  assert.ok(seen.some(({ earlier, later }) => earlier > 0 && later > 0), "no kill met a tree between its states");
});
