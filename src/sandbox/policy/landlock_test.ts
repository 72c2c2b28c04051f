import assert from "node:assert/strict";
import { FS, grantable, handledRights, missingProtections, scopesOf, WRITABLE_TREE } from "./landlock.ts";

Deno.test("S2 handledRights() climbs the ABI ladder of the kernel header", () => {
  const ladder = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((abi) => handledRights(abi).toString(16));
  assert.deepStrictEqual(ladder, [
    "1fff",
    "3fff",
    "7fff",
    "7fff",
    "ffff",
    "ffff",
    "ffff",
    "ffff",
    "1ffff",
    "1ffff",
  ]);
});

Deno.test("S4 grantable() gives a scope the tested mask on ABI 5 to 8, and never device nodes", () => {
  assert.deepStrictEqual(grantable(WRITABLE_TREE, 7, "directory"), 0xf7bf);
  assert.deepStrictEqual(grantable(WRITABLE_TREE, 9, "directory") & (FS.makeChar | FS.makeBlock), 0);
});

Deno.test("S4 grantable() gives a file only what a rule on a file can carry", () => {
  assert.deepStrictEqual(
    grantable(WRITABLE_TREE, 7, "file"),
    FS.execute | FS.writeFile | FS.readFile | FS.truncate | FS.ioctlDev,
  );
});

Deno.test("S2 missingProtections() names what an older kernel lacks, and nothing on a new one", () => {
  assert.deepStrictEqual(missingProtections(7), []);
  assert.deepStrictEqual(missingProtections(2), [
    "files outside the scope can be truncated",
    "ioctl on device files is not restricted",
    "signals to processes outside and abstract Unix sockets are not restricted",
  ]);
  assert.deepStrictEqual([scopesOf(5), scopesOf(6)], [0, 3]);
});
