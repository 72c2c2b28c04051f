import assert from "node:assert/strict";
import { LazyLibrary } from "./c_library.ts";
import { freeLock } from "./free_lock.ts";

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
    const library = new LazyLibrary({
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
    library[Symbol.dispose]();
    await Deno.remove(path);
  },
});
