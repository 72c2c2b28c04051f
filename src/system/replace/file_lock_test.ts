import assert from "node:assert/strict";
import { expected } from "../paths.ts";
import { underLock } from "./file_lock.ts";

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
