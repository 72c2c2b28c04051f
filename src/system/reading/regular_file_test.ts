import assert from "node:assert/strict";
import { readRegularFile, systemErrorCode } from "./regular_file.ts";

async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await work(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("readRegularFile() reads a file and follows a link to it", async () => {
  await inDirectory(async (directory) => {
    await Deno.writeTextFile(`${directory}/file`, "text");
    await Deno.writeTextFile(`${directory}/empty`, "");
    await Deno.symlink("file", `${directory}/link`);
    const bytes = new TextEncoder().encode("text");
    const identityOf = async (name: string) => {
      const { dev, ino } = await Deno.stat(`${directory}/${name}`);
      return `${dev}:${ino}`;
    };
    const read = { kind: "read", bytes, identity: await identityOf("file") };
    assert.deepStrictEqual(readRegularFile(`${directory}/file`, 4), read);
    assert.deepStrictEqual(readRegularFile(`${directory}/link`, 100), read);
    const empty = { kind: "read", bytes: new Uint8Array(), identity: await identityOf("empty") };
    assert.deepStrictEqual(readRegularFile(`${directory}/empty`, 0), empty);
  });
});

Deno.test("readRegularFile() takes neither what is too large nor what is not a file, and does not wait for a pipe", async () => {
  await inDirectory(async (directory) => {
    await Deno.writeTextFile(`${directory}/file`, "text");
    const made = await new Deno.Command("mkfifo", { args: [`${directory}/pipe`] }).output();
    assert.ok(made.success);
    assert.deepStrictEqual(readRegularFile(`${directory}/file`, 3), { kind: "too_large", size: 4 });
    assert.deepStrictEqual(readRegularFile(`${directory}/pipe`, 100), { kind: "not_regular" });
    assert.deepStrictEqual(readRegularFile(directory, 100), { kind: "not_regular" });
    assert.deepStrictEqual(readRegularFile("/dev/null", 100), { kind: "not_regular" });
  });
});

Deno.test("readRegularFile() throws what the system says", async () => {
  await inDirectory(async (directory) => {
    await Deno.symlink("loop", `${directory}/loop`);
    const code = (path: string) => {
      try {
        readRegularFile(path, 100);
        return undefined;
      } catch (thrown) {
        return systemErrorCode(thrown);
      }
    };
    assert.strictEqual(code(`${directory}/none`), "ENOENT");
    assert.strictEqual(code(`${directory}/loop`), "ELOOP");
    assert.strictEqual(systemErrorCode(new Error("x")), undefined);
  });
});
