import assert from "node:assert/strict";
import { writePrivately } from "./private_file.ts";

Deno.test("writePrivately() replaces a file, or gives a new one its name, and leaves nothing else", async () => {
  const directory = await Deno.makeTempDir({ prefix: "ahma-private-" });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => Deno.remove(directory, { recursive: true }));
  const file = `${directory}/made/file`;
  const names = async (path: string) => (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name).sort();
  await writePrivately(file, "old");
  await writePrivately(file, "new", { isSynced: true });
  assert.strictEqual(await Deno.readTextFile(file), "new");
  assert.strictEqual((await Deno.stat(file)).mode ?? 0, 0o100600);
  assert.strictEqual((await Deno.stat(`${directory}/made`)).mode ?? 0, 0o40700);
  await assert.rejects(writePrivately(file, "other", { place: Deno.link }), Deno.errors.AlreadyExists);
  await writePrivately(`${directory}/made/second`, "linked", { place: Deno.link });
  await Deno.mkdir(`${directory}/made/directory`);
  await assert.rejects(writePrivately(`${directory}/made/directory`, "text"), Deno.errors.IsADirectory);
  assert.deepStrictEqual(await names(`${directory}/made`), ["directory", "file", "second"]);
  assert.strictEqual(await Deno.readTextFile(`${directory}/made/second`), "linked");
  assert.strictEqual(await Deno.readTextFile(file), "new");
});
