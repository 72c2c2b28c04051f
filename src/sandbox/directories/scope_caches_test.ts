import assert from "node:assert/strict";
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

Deno.test("S25 listCaches() tells scope, last use and whether a server uses each", () =>
  inBase(async (base) => {
    using first = useCache(`${base}/a-1`, "/project/a");
    using second = useCache(`${base}/a-1`, "/project/a");
    useCache(`${base}/b-2`, "/project/b")?.[Symbol.dispose]();
    const old = new Date(Date.now() - 40 * DAY_MS);
    await Deno.utime(`${base}/b-2.scope`, old, old);
    await Deno.utime(`${base}/c-3`, old, new Date(old.getTime() - DAY_MS));
    const caches = await listCaches(base);
    assert.deepStrictEqual(caches.map(({ path, scope, isUsed }) => [path, scope, isUsed]), [
      [`${base}/a-1`, "/project/a", true],
      [`${base}/b-2`, "/project/b", false],
      [`${base}/c-3`, undefined, false],
    ]);
    assert.deepStrictEqual([first, second].map((one) => one !== undefined), [true, true]);
    assert.deepStrictEqual(await sizeOf(`${base}/a-1`), 5);
  }));

Deno.test("S25 removeCache() leaves a cache that a server uses, and takes it when the last has ended", () =>
  inBase(async (base) => {
    const uses = [1, 2].map(() => useCache(`${base}/a-1`, "/project/a"));
    for (const use of uses) {
      assert.ok(!await removeCache({ path: `${base}/a-1` }));
      use?.[Symbol.dispose]();
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
      useCache(`${base}/${name}`, `/project/${name}`)?.[Symbol.dispose]();
      await Deno.utime(`${base}/${name}.scope`, ago(days), ago(days));
    }
    using _used = useCache(`${base}/c-3`, "/project/c");
    await Deno.utime(`${base}/c-3.scope`, ago(99), ago(99));
    await Deno.mkdir(`${base}/.removed-x/y`, { recursive: true });
    await removeUnusedCaches(base, Date.now());
    const left = await Array.fromAsync(Deno.readDir(base));
    assert.deepStrictEqual(left.map(({ name }) => name).toSorted(), ["b-2", "b-2.scope", "c-3", "c-3.scope"]);
  }));

/** Holds the record until the system tells that another process waits for it, and does `act` first. */
const HOLD = `exec 9<>"$1"; flock -x 9 || exit; echo held
until grep -q -- "-> FLOCK .*:$2 " /proc/locks || [ -e "$1.passed" ]; do :; done; `;

for (
  const [title, act] of [
    ["looks at the record", "true"],
    ["removes the cache", 'mv "${1%.scope}" "${1%.scope}-gone"; rm "$1"'],
  ] as const
) {
  Deno.test({
    name: `S25 useCache() waits while another process ${title}, and has the cache then`,
    ignore: Deno.build.os !== "linux", // no other system tells who waits for a lock
    fn: () =>
      inBase(async (base) => {
        const record = `${base}/a-1.scope`;
        await Deno.writeTextFile(record, "");
        const { ino } = await Deno.stat(record);
        await using holder = new Deno.Command("sh", {
          args: ["-c", HOLD + act, "sh", record, `${ino}`],
          stdout: "piped",
        }).spawn();
        const output = holder.stdout.getReader();
        assert.strictEqual(new TextDecoder().decode((await output.read()).value), "held\n");
        using _use = useCache(`${base}/a-1`, "/project/a");
        await Deno.writeTextFile(`${record}.passed`, "");
        await output.cancel();
        await holder.status;
        assert.deepStrictEqual([await Deno.readTextFile(record), await removeCache({ path: `${base}/a-1` })], [
          "/project/a",
          false,
        ]);
        assert.ok((await Deno.stat(`${base}/a-1`)).isDirectory);
      }),
  });
}
