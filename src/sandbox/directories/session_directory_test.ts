import assert from "node:assert/strict";
import { createSessionDirectories, removeSessionDirectories, removeStaleSessions } from "./session_directory.ts";
import { freeLock } from "../../system/replace/file_lock.ts";

async function inBase(test: (base: string) => Promise<void>): Promise<void> {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    await test(base);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

async function modeOf(path: string): Promise<number> {
  return ((await Deno.stat(path)).mode ?? 0) & 0o777;
}

async function namesIn(base: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(base))).map(({ name }) => `${base}/${name}`).sort();
}

Deno.test("S5 createSessionDirectories() makes directories only their owner can enter, and they go with the session", () =>
  inBase(async (base) => {
    const session = createSessionDirectories(base, { temporaryFiles: true });
    const modes = await Promise.all([session.root, session.temporary ?? "", session.files].map(modeOf));
    assert.deepStrictEqual([modes, await namesIn(base)], [[0o700, 0o700, 0o700], [session.root]]);
    await removeSessionDirectories(session);
    assert.deepStrictEqual(await namesIn(base), []);
  }));

Deno.test("S5 createSessionDirectories() makes no temp directory with --no-temp-files", () =>
  inBase(async (base) => {
    const session = createSessionDirectories(base, { temporaryFiles: false });
    assert.deepStrictEqual(session.temporary, undefined);
    await removeSessionDirectories(session);
  }));

Deno.test("S5 removeStaleSessions() removes what a server left that was killed while it removed its session", () =>
  inBase(async (base) => {
    const { remove } = Deno;
    for (let killedAt = 0;; killedAt++) {
      const session = createSessionDirectories(base, { temporaryFiles: true });
      for (const name of ["a", "z"]) await Deno.writeTextFile(`${session.root}/${name}`, "");
      let removed = 0;
      Deno.remove = (path) => removed++ === killedAt ? Promise.reject(new Error("killed")) : remove(path);
      const [ended] = await Promise.allSettled([removeSessionDirectories(session)]).finally(() => Deno.remove = remove);
      assert.deepStrictEqual(await removeStaleSessions(base), {
        removed: ended.status === "fulfilled" ? 0 : 1,
        problems: [],
      });
      assert.deepStrictEqual(await namesIn(base), []);
      if (ended.status === "fulfilled") return assert.strictEqual(killedAt, 4);
    }
  }));

Deno.test("S5 removeStaleSessions() removes what a killed server left, and nothing that is in use or not ours", () =>
  inBase(async (base) => {
    const live = createSessionDirectories(base, { temporaryFiles: true });
    const dead = createSessionDirectories(base, { temporaryFiles: true });
    freeLock(dead.owner); // as the kernel does for a server that was killed
    for (const name of ["ahma_mcp-without", "ahma_mcp-led-astray", "other"]) await Deno.mkdir(`${base}/${name}`);
    await Deno.symlink("/dev/zero", `${base}/ahma_mcp-led-astray/owner`);
    assert.deepStrictEqual(await removeStaleSessions(base), { removed: 1, problems: [] });
    assert.deepStrictEqual(
      await namesIn(base),
      [live.root, `${base}/ahma_mcp-led-astray`, `${base}/ahma_mcp-without`, `${base}/other`].sort(),
    );
    await removeSessionDirectories(live);
  }));
