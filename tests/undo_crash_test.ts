/** S39: a server with `--undo` that is killed at any moment leaves a sound store, and files in one of two states. */
import assert from "node:assert/strict";
import { Crashes, type Killed } from "./undo_crashes/crashes.ts";

Deno.test("S39 a server killed in a scan, an operation or an undo leaves files and the store intact, 3 times at least", async () => {
  const seen: Killed[] = [];
  await using crashes = new Crashes((killed) => seen.push(killed));
  const isBetween = () => seen.some(({ earlier, later }) => earlier > 0 && later > 0);
  // A moment is random: on a busy machine a server may be done before it, or not have begun. `deno task crashes` tries more.
  do await crashes.kill(3); while (!isBetween() && seen.length < 24);
  assert.ok(isBetween(), `none of ${seen.length} kills met a tree between its states`);
});
