import assert from "node:assert/strict";
import { LastWords } from "./last_words.ts";

/** What the runtime says when a page takes all of a worker's memory. */
const CRASH = `
<--- Last few GCs --->

[16716:0x55df6b149000]     1491 ms: Mark-Compact (reduce) 99.4 (100.2) -> 99.4 (100.2) MB, pooled: 0.0 MB

#
# Fatal JavaScript out of memory: Reached heap limit
#
==== C stack trace ===============================

    deno(+0x28b0d2e) [0x55df4c75ed2e]`;

Deno.test("K2 of a worker's last words the cause is told, and no addresses", () => {
  const words = new LastWords();
  for (const line of CRASH.split("\n")) words.add(line);
  assert.deepEqual(words.lines, ["# Fatal JavaScript out of memory: Reached heap limit"]);
  for (const line of ["a", "b", "c".repeat(400)]) words.add(line);
  assert.deepEqual(words.lines, ["a", "b", `${"c".repeat(299)}…`]);
});
