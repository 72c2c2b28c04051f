import assert from "node:assert/strict";
import { programPaths, searchPath } from "./search_path.ts";

Deno.test("programPaths() looks where a shell would", () => {
  assert.deepStrictEqual(programPaths("git", ["/a", "/b"], "/w"), ["/a/git", "/b/git"]);
  assert.deepStrictEqual(programPaths("./x", ["/a"], "/w"), ["/w/./x"]);
  assert.deepStrictEqual(programPaths("/x/y", ["/a"], "/w"), ["/x/y"]);
});

Deno.test("searchPath() gives usual directories where PATH is missing or has none", () => {
  assert.deepStrictEqual(searchPath(undefined), ["/usr/local/bin", "/usr/bin", "/bin"]);
  assert.deepStrictEqual(searchPath("relative:."), ["/usr/local/bin", "/usr/bin", "/bin"]);
});
