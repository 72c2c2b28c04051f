import assert from "node:assert/strict";
import { unwrapOrUserError } from "../../base/outcome.ts";
import { listCaches, removeCache, removeUnusedCaches, sizeOf, useCache } from "./scope_caches.ts";

async function inBase(test: (base: string) => Promise<void>): Promise<void> {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    for (const name of ["a-1", "b-2", "c-3"]) await Deno.mkdir(`${base}/${name}/deep`, { recursive: true });
    await Deno.writeTextFile(`${base}/a-1/deep/file`, "12345");
    await test(base);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

const DAY_MS = 86_400_000;

function used(cache: string, scope: string): Disposable {
  return unwrapOrUserError(useCache(cache, scope));
}

Deno.test("S25 listCaches() tells scope, last use and whether a server uses each", () =>
  inBase(async (base) => {
    using _first = used(`${base}/a-1`, "/project/a");
    using _second = used(`${base}/a-1`, "/project/a");
    used(`${base}/b-2`, "/project/b")[Symbol.dispose]();
    const old = new Date(Date.now() - 40 * DAY_MS);
    await Deno.utime(`${base}/b-2.scope`, old, old);
    await Deno.utime(`${base}/c-3`, old, new Date(old.getTime() - DAY_MS));
    const caches = await listCaches(base);
    assert.deepStrictEqual(caches.map(({ path, scope, isUsed }) => [path, scope, isUsed]), [
      [`${base}/a-1`, "/project/a", true],
      [`${base}/b-2`, "/project/b", false],
      [`${base}/c-3`, undefined, false],
    ]);
    assert.deepStrictEqual(await sizeOf(`${base}/a-1`), 5);
  }));

Deno.test("S25 removeCache() leaves a cache that a server uses, and takes it when the last has ended", () =>
  inBase(async (base) => {
    const uses = [1, 2].map(() => used(`${base}/a-1`, "/project/a"));
    for (const use of uses) {
      assert.ok(!await removeCache({ path: `${base}/a-1` }));
      use[Symbol.dispose]();
    }
    assert.ok(await removeCache({ path: `${base}/a-1` }));
    assert.deepStrictEqual((await Array.fromAsync(Deno.readDir(base))).map(({ name }) => name).toSorted(), [
      "b-2",
      "c-3",
    ]);
  }));

Deno.test("S25 removeUnusedCaches() takes what was not used for 30 days, and what a killed server left half removed", () =>
  inBase(async (base) => {
    const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
    for (const [name, days] of [["a-1", 31], ["b-2", 29]] as const) {
      used(`${base}/${name}`, `/project/${name}`)[Symbol.dispose]();
      await Deno.utime(`${base}/${name}.scope`, ago(days), ago(days));
    }
    using _used = used(`${base}/c-3`, "/project/c");
    await Deno.utime(`${base}/c-3.scope`, ago(99), ago(99));
    await Deno.mkdir(`${base}/.removed-x/y`, { recursive: true });
    await removeUnusedCaches(base, Date.now());
    const left = await Array.fromAsync(Deno.readDir(base));
    assert.deepStrictEqual(left.map(({ name }) => name).toSorted(), ["b-2", "b-2.scope", "c-3", "c-3.scope"]);
  }));

Deno.test("S25 removeUnusedCaches() takes an empty one that was not used for a day, and none that is used", () =>
  inBase(async (base) => {
    const cacheOf = async (name: string, days: number) => {
      await Deno.mkdir(`${base}/${name}`, { recursive: true });
      const use = used(`${base}/${name}`, `/tmp/ahma_mcp-${name}/script`);
      const at = new Date(Date.now() - days * DAY_MS);
      await Deno.utime(`${base}/${name}.scope`, at, at);
      return use;
    };
    for (const [name, days] of [["empty", 1.1], ["fresh", 0.9], ["a-1", 1.1]] as const) {
      (await cacheOf(name, days))[Symbol.dispose]();
    }
    using _used = await cacheOf("used", 1.1);
    await removeUnusedCaches(base, Date.now());
    assert.deepStrictEqual((await listCaches(base)).map(({ path }) => path.slice(base.length + 1)).toSorted(), [
      "a-1",
      "b-2",
      "c-3",
      "fresh",
      "used",
    ]);
  }));

/** Does what `act` says with `$1` open on descriptor 9, says so, and ends when its input does. */
function holder(record: string, act: string): Deno.ChildProcess {
  return new Deno.Command("sh", { args: ["-c", act, "sh", record], stdin: "piped", stdout: "piped" }).spawn();
}

async function firstOutput({ stdout }: Deno.ChildProcess): Promise<string> {
  const reader = stdout.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

Deno.test({
  name: "S25 useCache() does not wait for who holds the record, and removeCache() leaves the cache then",
  ignore: Deno.build.os !== "linux", // macOS has no program that locks
  fn: () =>
    inBase(async (base) => {
      const record = `${base}/a-1.scope`;
      used(`${base}/a-1`, "/project/a")[Symbol.dispose]();
      await using other = holder(record, 'exec 9<"$1"; flock -x 9; echo held; cat >&2');
      assert.strictEqual(await firstOutput(other), "held\n");
      assert.deepStrictEqual(useCache(`${base}/a-1`, "/project/a"), {
        ok: false,
        problem: `another program holds a lock on "${record}"`,
      });
      assert.ok(!await removeCache({ path: `${base}/a-1` }));
      await other.stdin.close();
      await other.status;
      using _use = used(`${base}/a-1`, "/project/a");
    }),
});

Deno.test({
  name: "S25 useCache() has the cache that its record is of, however often another process removes both",
  ignore: Deno.build.os !== "linux", // macOS has no program that locks
  fn: () =>
    inBase(async (base) => {
      const cache = `${base}/a-1`;
      const removing = `echo begun
until [ -e "$1.stop" ]; do
  exec 9<>"$1"
  if flock -nx 9; then rmdir "\${1%.scope}" 2>/dev/null; rm "$1"; fi
  exec 9<&-
done`;
      await Deno.remove(cache, { recursive: true });
      await using other = holder(`${cache}.scope`, removing);
      assert.strictEqual(await firstOutput(other), "begun\n");
      let had = 0;
      for (let tries = 0; had < 30 && tries < 100_000; tries++) {
        const use = useCache(cache, "/project/a");
        if (!use.ok) continue;
        had++;
        assert.deepStrictEqual([await Deno.readTextFile(`${cache}.scope`), (await Deno.stat(cache)).isDirectory], [
          "/project/a",
          true,
        ]);
        use.value[Symbol.dispose]();
      }
      await Deno.writeTextFile(`${cache}.scope.stop`, "");
      await other.stdin.close();
      await other.status;
      assert.strictEqual(had, 30);
    }),
});
