import assert from "node:assert/strict";
import { scopeCache, sessionBases, workerCache } from "./private_directories.ts";

async function inBase(test: (base: string) => Promise<void>): Promise<void> {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${base}/scope/tmp`, { recursive: true });
    await Deno.mkdir(`${base}/home`);
    await test(base);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

Deno.test("S5 sessionBases() takes TMPDIR, but no place commands can write to", () =>
  inBase(async (base) => {
    const ask = (temporary: string, writable: readonly string[]) =>
      [...sessionBases({ serverEnvironment: { TMPDIR: temporary }, home: `${base}/home`, writable })][0];
    assert.deepStrictEqual(ask(`${base}/home`, [`${base}/scope`]), `${base}/home`);
    assert.deepStrictEqual(ask(`${base}/scope/tmp`, [`${base}/scope`]), await Deno.realPath("/tmp"));
    assert.deepStrictEqual(ask(`${base}/none`, ["/tmp", "/var/tmp", base]), undefined);
  }));

Deno.test("S5 S4 neither place is reached through a link that a command put in the scope", () =>
  inBase(async (base) => {
    await Deno.mkdir(`${base}/out`);
    await Deno.symlink(`${base}/out`, `${base}/scope/led`);
    const environment = { TMPDIR: `${base}/scope/led`, XDG_CACHE_HOME: `${base}/scope/led` };
    const question = { serverEnvironment: environment, home: undefined, writable: [`${base}/scope`] };
    assert.deepStrictEqual([...sessionBases(question)][0], await Deno.realPath("/tmp"));
    assert.deepStrictEqual(scopeCache(question, "1-2"), undefined);
    assert.deepStrictEqual(await Array.fromAsync(Deno.readDir(`${base}/out`)), []);
  }));

Deno.test("S4 scopeCache() makes a private directory below the user's cache, and finds it again", () =>
  inBase(async (base) => {
    const question = { serverEnvironment: {}, home: `${base}/home`, writable: [`${base}/scope`] };
    const cache = scopeCache(question, "1-2");
    assert.deepStrictEqual(cache, `${base}/home/.cache/ahma_mcp/scopes/1-2`);
    assert.deepStrictEqual((await Deno.stat(cache ?? "")).mode, 0o40700);
    assert.deepStrictEqual(scopeCache(question, "1-2"), cache);
    assert.deepStrictEqual(workerCache(question, "1-2"), `${base}/home/.cache/ahma_mcp/workers/1-2`);
  }));

Deno.test("S4 scopeCache() is not led away by what a command left in its place", () =>
  inBase(async (base) => {
    const environment = { XDG_CACHE_HOME: `${base}/scope/cache` };
    await Deno.mkdir(`${base}/scope/cache`);
    assert.deepStrictEqual(
      scopeCache({ serverEnvironment: environment, home: undefined, writable: [`${base}/scope`] }, "1-2"),
      undefined,
    );
    await Deno.mkdir(`${base}/home/.cache/ahma_mcp/scopes`, { recursive: true });
    await Deno.symlink(`${base}/scope`, `${base}/home/.cache/ahma_mcp/scopes/1-2`);
    assert.deepStrictEqual(scopeCache({ serverEnvironment: {}, home: `${base}/home`, writable: [] }, "1-2"), undefined);
    await Deno.chmod(`${base}/home/.cache/ahma_mcp/scopes`, 0o777);
    assert.deepStrictEqual(scopeCache({ serverEnvironment: {}, home: `${base}/home`, writable: [] }, "3-4"), undefined);
  }));
