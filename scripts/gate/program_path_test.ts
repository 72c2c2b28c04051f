import assert from "node:assert/strict";
import { withInterpreterFirst } from "./program_path.ts";

Deno.test("D3 withInterpreterFirst() puts an interpreter before the scripts that lead to it, and leaves any other path", () => {
  const shims = "/h/.pyenv/shims:/usr/bin:/bin";
  assert.deepStrictEqual(
    [
      withInterpreterFirst(shims, "/h/.pyenv/versions/3.11/bin/python3"),
      withInterpreterFirst(shims, "/usr/bin/python3"),
      withInterpreterFirst(shims, ""),
    ],
    [`/h/.pyenv/versions/3.11/bin:${shims}`, shims, shims],
  );
});
