import assert from "node:assert/strict";
import { SILENT } from "../../base/log.ts";
import { SpillSpace } from "./spill_files.ts";

const KILOBYTE = new Uint8Array(1024).fill(120);

async function names(directory: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name).toSorted();
}

Deno.test("X8 SpillSpace keeps outputs again when its directory could not be made for one before", async () => {
  const base = await Deno.makeTempDir();
  try {
    const space = new SpillSpace({ directory: `${base}/later/output`, limitBytes: 10 * 1024, log: SILENT });
    const first = space.newFile();
    first.append([KILOBYTE]);
    await first.settled();
    assert.deepStrictEqual([first.acceptedBytes, first.append([KILOBYTE]), space.usedBytes], [0, false, 0]);
    await Deno.mkdir(`${base}/later`);
    const second = space.newFile();
    second.append([KILOBYTE]);
    assert.deepStrictEqual([await second.read(0, 2048), space.usedBytes], [KILOBYTE, 1024]);
    second.discard();
    await space.settled();
    assert.deepStrictEqual([await names(`${base}/later/output`), space.usedBytes], [[], 0]);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});
