import assert from "node:assert/strict";
import { TestTree } from "../find/_support/trees.ts";
import { queryOf } from "./grep_query.ts";
import { searchApart } from "./grep.ts";
import { Helpers } from "../helper/helpers.ts";

Deno.test("K3 a pattern that never ends is ended with its helper, and the next search works", async () => {
  using bench = new TestTree({ "hostile.txt": `${"a".repeat(60)}!\n` });
  await using helpers = new Helpers(bench.project);
  const search = async (pattern: string, longestMs: number, signal = new AbortController().signal) => {
    const paths: string[] = [];
    const request = { place: { directory: ".", file: undefined }, query: queryOf({ pattern }), most: 1 };
    const end = await searchApart(helpers, request, ({ path }) => paths.push(path), {
      signal,
      longestMs,
    });
    return { paths, searched: end.counted?.searched };
  };
  await assert.rejects(search("(a+)+$", 100), {
    message: 'The pattern "(a+)+$" took longer than 0.1 s on one file; simplify it',
  });
  const abort = new AbortController();
  const cancelled = assert.rejects(search("(a+)+$", 600_000, abort.signal), { message: "The call was cancelled" });
  abort.abort();
  await cancelled;
  assert.deepEqual(await search("!$", 600_000), { paths: ["hostile.txt"], searched: 1 });
  await assert.rejects(search("(a", 600_000), { message: 'Cannot search for "(a": Unterminated group' });
});
