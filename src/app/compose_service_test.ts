import assert from "node:assert/strict";
import { writePrivateFile } from "./compose_service.ts";

Deno.test("T7 writePrivateFile() makes a file of its own, 0600, that goes when it is removed", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const [one, other] = [await writePrivateFile(directory, "a\nb"), await writePrivateFile(directory, "")];
    assert.notStrictEqual(one.path, other.path);
    assert.strictEqual(await Deno.readTextFile(one.path), "a\nb");
    assert.strictEqual(((await Deno.stat(one.path)).mode ?? 0) & 0o777, 0o600);
    await one.remove();
    await other.remove();
    assert.deepStrictEqual(await Array.fromAsync(Deno.readDir(directory)), []);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
