import assert from "node:assert/strict";
import { SeenContents } from "./seen_contents.ts";

Deno.test("K3 the last contents are kept by their rev, in bounded memory", () => {
  const seen = new SeenContents();
  const content = (size: number) => new Uint8Array(size);
  const large = content(2 * 1024 * 1024);
  for (const rev of ["a", "b", "c", "d", "a", "e"]) seen.keep(rev, large);
  seen.keep("too long", content(large.length + 1));
  const kept = ["a", "b", "c", "d", "e", "too long"].filter((rev) => seen.of(rev) === large);
  assert.deepEqual(kept, ["a", "c", "d", "e"]);
});
