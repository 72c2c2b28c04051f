import assert from "node:assert/strict";
import { TestTree } from "../find/_support/trees.ts";
import { queryOf } from "./grep_query.ts";
import { searchInThread } from "./search_in_thread.ts";

// 24 characters take a second, so that a thread which the runtime does not stop comes to its end.
Deno.test("K3 a pattern that never ends is ended with its thread, and the next search works", async () => {
  using bench = new TestTree({ "hostile.txt": `${"a".repeat(24)}!\n` });
  const search = async (pattern: string, longestMs: number, signal = new AbortController().signal) => {
    const paths: string[] = [];
    const request = { place: { directory: ".", file: undefined }, query: queryOf({ pattern }), most: 1 };
    const end = await searchInThread(bench.project.setup, request, ({ path }) => paths.push(path), {
      signal,
      longestMs,
    });
    return { paths, searched: end.counted?.searched };
  };
  await assert.rejects(search("(a+)+$", 100), {
    message: 'The pattern "(a+)+$" took longer than 0.1 s on one file; simplify it',
  });
  const abort = new AbortController();
  const cancelled = assert.rejects(search("(a+)+$", 60_000, abort.signal), { message: "The call was cancelled" });
  abort.abort();
  await cancelled;
  assert.deepEqual(await search("!$", 60_000), { paths: ["hostile.txt"], searched: 1 });
  await assert.rejects(search("(a", 60_000), { message: 'Cannot search for "(a": Unterminated group' });
});
