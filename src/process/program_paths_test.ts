import assert from "node:assert/strict";
import { programPaths } from "./program_paths.ts";

Deno.test("programPaths() looks where a shell would", () => {
  assert.deepStrictEqual(programPaths("git", ["/a", "/b"], "/w"), ["/a/git", "/b/git"]);
  assert.deepStrictEqual(programPaths("./x", ["/a"], "/w"), ["/w/./x"]);
  assert.deepStrictEqual(programPaths("/x/y", ["/a"], "/w"), ["/x/y"]);
});
