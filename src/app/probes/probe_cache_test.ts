import assert from "node:assert/strict";
import fc from "fast-check";
import { SILENT } from "../../base/log.ts";
import { failure, success } from "../../base/outcome.ts";
import { CheckMemory, checkMemoryFile } from "./probe_cache.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A directory of its own, and memories that share the file in it, each opened `days` later. */
async function withFile(work: (file: string, open: (days?: number) => CheckMemory) => Promise<void>): Promise<void> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  const file = `${directory}/cache/checks.json`;
  try {
    await work(file, (days = 0) => new CheckMemory({ file, now: () => 1e12 + days * DAY_MS, log: SILENT }));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("T11 CheckMemory keeps answers between starts for a week, for this user alone, and adds to what others kept", async () => {
  await withFile(async (file, open) => {
    {
      await using other = open();
      assert.equal(other.recall("a"), undefined);
      {
        await using one = open();
        one.remember("a", success(undefined));
      }
      other.remember("b", failure("not there"));
    }
    {
      await using later = open(1);
      later.remember("c", failure("gone"));
    }
    const kept = open(7);
    assert.deepStrictEqual([kept.recall("a"), kept.recall("b"), kept.recall("c"), kept.recall("d")], [
      success(undefined),
      failure("not there"),
      failure("gone"),
      undefined,
    ]);
    assert.deepStrictEqual([open(7.5).recall("a"), open(7.5).recall("c")], [undefined, failure("gone")]);
    assert.deepStrictEqual(await Array.fromAsync(Deno.readDir(file.replace("/checks.json", "")), ({ name }) => name), [
      "checks.json",
    ]);
    assert.equal(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o600);
  });
});

Deno.test("T11 CheckMemory holds 400 answers, the newest, and none to a question of over 600 characters", async () => {
  await withFile(async (file) => {
    let at = 0;
    const open = () => new CheckMemory({ file, now: () => ++at, log: SILENT });
    {
      await using memory = open();
      for (let i = 0; i < 500; i++) memory.remember(`${i}`, failure("x".repeat(5000)));
      memory.remember("q".repeat(601), success(undefined));
    }
    const { checks } = JSON.parse(await Deno.readTextFile(file));
    assert.deepStrictEqual(Object.keys(checks), Array.from({ length: 400 }, (_, i) => `${i + 100}`));
    assert.deepStrictEqual(open().recall("499"), failure("x".repeat(300)));
  });
});

Deno.test("T11 CheckMemory takes a file that is none of its own, or is broken, as empty, and replaces it", async () => {
  await withFile(async (file, open) => {
    const good = JSON.stringify({ version: 1, checks: { a: { at: 1e12 } } });
    await Deno.mkdir(file.replace("/checks.json", ""));
    const recalled = async (text: string, mode = 0o600) => {
      await Deno.writeTextFile(file, text);
      await Deno.chmod(file, mode);
      return open().recall("a");
    };
    assert.deepStrictEqual(await recalled(good), success(undefined));
    assert.equal(await recalled(good, 0o644), undefined);
    const broken = ["", "[]", "null", '{"version":1}', '{"version":2,"checks":{"a":{"at":1}}}', good.slice(0, -3)];
    for (const text of broken) assert.equal(await recalled(text), undefined, text);
    for (const entry of ["1", "null", "{}", '{"at":"x"}', `{"at":${1e12},"problem":7}`]) {
      assert.equal(await recalled(`{"version":1,"checks":{"a":${entry}}}`), undefined, entry);
    }
    {
      await using memory = open();
      memory.remember("b", success(undefined));
    }
    assert.deepStrictEqual(open().recall("b"), success(undefined));
    await Deno.remove(file);
    await Deno.mkdir(file); // cannot be replaced: forgotten, and nothing else
    {
      await using memory = open();
      memory.remember("b", success(undefined));
      assert.deepStrictEqual(memory.recall("b"), success(undefined));
    }
    assert.equal(open().recall("b"), undefined);
  });
});

Deno.test("T11 CheckMemory survives any file, and shows no text that a terminal would obey", async () => {
  await withFile(async (file, open) => {
    await Deno.mkdir(file.replace("/checks.json", ""));
    const entry = fc.oneof(
      fc.jsonValue(),
      fc.record({ at: fc.constant(1e12), problem: fc.string({ unit: "binary" }) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.jsonValue(), fc.record({ version: fc.constant(1), checks: fc.record({ a: entry }) })),
        async (value) => {
          await Deno.writeTextFile(file, JSON.stringify(value), { mode: 0o600 });
          const answer = open().recall("a");
          return answer === undefined || answer.ok || !answer.problem.includes("\x1b");
        },
      ),
      { numRuns: 50 },
    );
  });
});

Deno.test("T11 S4 checkMemoryFile() is in the user's cache directory, and nowhere that commands can reach", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${base}/home/.cache`, { recursive: true });
    await Deno.mkdir(`${base}/scope`);
    await Deno.symlink(`${base}/scope`, `${base}/linked`);
    const home = { HOME: `${base}/home` };
    const cases: readonly (readonly [Record<string, string>, readonly string[], string | undefined])[] = [
      [home, [`${base}/scope`], `${base}/home/.cache/ahma_mcp/checks.json`],
      [{ ...home, XDG_CACHE_HOME: `${base}/x` }, [], `${base}/x/ahma_mcp/checks.json`],
      [{ ...home, XDG_CACHE_HOME: "x" }, [], `${base}/home/.cache/ahma_mcp/checks.json`],
      [{}, [], undefined],
      [home, [`${base}/home`], undefined],
      [home, [`${base}/home/.cache`], undefined],
      [home, [`${base}/home/.cache/ahma_mcp`], undefined],
      [{ XDG_CACHE_HOME: `${base}/linked` }, [`${base}/scope`], undefined],
      [home, [`${base}/home/.cache/ahma_mcp/scopes/1`], `${base}/home/.cache/ahma_mcp/checks.json`],
    ];
    for (const [environment, open, file] of cases) {
      assert.equal(checkMemoryFile(environment, open), file, JSON.stringify([environment, open]));
    }
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});
