import assert from "node:assert/strict";
import { runtimeCache, runtimeCacheProblem } from "./runtime_cache.ts";

Deno.test("runtimeCache() is DENO_DIR, else below XDG_CACHE_HOME, else below HOME", () => {
  const HOME = "/h";
  assert.deepStrictEqual(
    [
      { DENO_DIR: "/d", XDG_CACHE_HOME: "/c", HOME },
      { DENO_DIR: "", XDG_CACHE_HOME: "/c", HOME },
      { DENO_DIR: "../d", HOME },
      { XDG_CACHE_HOME: "c", HOME },
      { XDG_CACHE_HOME: "", HOME },
      {},
    ].map((environment) => runtimeCache(environment, "/w/d")),
    ["/d", "/c/deno", "/w/d", "/w/d/c/deno", "/h/.cache/deno", undefined],
  );
});

Deno.test("S4 runtimeCacheProblem() tells of a cache that commands can write to, also through a link", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${base}/scope`);
    await Deno.mkdir(`${base}/elsewhere`);
    await Deno.symlink(`${base}/scope`, `${base}/link`);
    await Deno.symlink(`${base}/elsewhere`, `${base}/scope/out`);
    const about = (directory: string) =>
      runtimeCacheProblem({ serverEnvironment: { DENO_DIR: directory }, workingDirectory: base }, [`${base}/scope`]);
    assert.equal(
      about(`${base}/scope/deno`),
      `Cannot use the runtime's cache "${base}/scope/deno": commands could write to it, and with it the compiled code ` +
        "that the next server runs. Set DENO_DIR to a directory outside the scope and --write",
    );
    const open = ["scope", "link/deno", "scope/out/deno", "elsewhere/deno", "missing/deno"].filter((path) => {
      return about(`${base}/${path}`) !== undefined;
    });
    assert.deepStrictEqual(open, ["scope", "link/deno", "scope/out/deno"]);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});
