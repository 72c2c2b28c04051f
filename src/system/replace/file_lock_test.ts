import assert from "node:assert/strict";
import { expected } from "../paths.ts";
import { freeLock, underLock } from "./file_lock.ts";
import { openCLibrary } from "../c_library.ts";

for (const [when, waitMs] of [["at once", 120_000], ["when nothing waits for it any more", 1]] as const) {
  Deno.test(`O4 underLock() closes its file where the system refuses the lock ${when}`, async () => {
    const directory = await Deno.realPath(await Deno.makeTempDir());
    const refusal = Promise.withResolvers<void>();
    const { lock } = Deno.FsFile.prototype;
    const asked = Promise.withResolvers<void>();
    Deno.FsFile.prototype.lock = () => {
      asked.resolve();
      return refusal.promise;
    };
    try {
      const done = underLock(`${directory}/lock`, waitMs, () => assert.fail("there is no lock"));
      await asked.promise;
      if (waitMs === 1) assert.strictEqual(await done, undefined);
      refusal.reject(new Deno.errors.NotSupported("no locks here"));
      if (waitMs !== 1) await assert.rejects(done, Deno.errors.NotSupported);
      await refusal.promise.catch(() => {});
      assert.deepStrictEqual(openFilesIn(directory), []);
    } finally {
      Deno.FsFile.prototype.lock = lock;
      await Deno.remove(directory, { recursive: true });
    }
  });
}

function openFilesIn(directory: string): readonly string[] {
  return [...Deno.readDirSync("/proc/self/fd")]
    .map(({ name }) => expected(() => Deno.readLinkSync(`/proc/self/fd/${name}`)) ?? "")
    .filter((path) => path.startsWith(directory));
}

const ignore = Deno.build.os !== "linux";
const EXCLUSIVE = true;

/** The descriptor of an open file, as the kernel lists it. */
function descriptorOf(path: string): number {
  const links = Array.from(Deno.readDirSync("/proc/self/fd"), ({ name }) => `/proc/self/fd/${name}`);
  const found = links.find((link) => {
    try {
      return Deno.readLinkSync(link) === path;
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.NotFound)) throw thrown; // closed by another thread
      return false;
    }
  });
  return Number(found?.slice("/proc/self/fd/".length));
}

Deno.test({
  name: `S25 freeLock() frees a lock whose file a program that is being started still has open${
    ignore ? " (ignored: reads /proc)" : ""
  }`,
  ignore,
  fn: async () => {
    const path = await Deno.realPath(await Deno.makeTempFile());
    const library = openCLibrary({
      dup: { parameters: ["i32"], result: "i32" },
      close: { parameters: ["i32"], result: "i32" },
    });
    const file = await Deno.open(path, { write: true });
    assert.ok(await file.tryLock(EXCLUSIVE));
    const copy = library.symbols.dup(descriptorOf(path));
    assert.ok(copy >= 0);
    freeLock(file);
    using other = await Deno.open(path, { write: true });
    assert.ok(await other.tryLock(EXCLUSIVE));
    library.symbols.close(copy);
    library.close();
    await Deno.remove(path);
  },
});
