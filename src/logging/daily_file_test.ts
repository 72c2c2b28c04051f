import assert from "node:assert/strict";
import { openDailyFile } from "./daily_file.ts";

async function names(directory: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(directory), (entry) => entry.name)).sort();
}

Deno.test("L8 openDailyFile() makes a private directory and a private file, and appends", async () => {
  const root = await Deno.makeTempDir();
  try {
    const directory = `${root}/cache/logs`;
    for (const text of ["one\n", "two\n"]) {
      const file = await openDailyFile(directory, () => new Date("2026-03-01T23:59:00Z"));
      await file.write(text);
      file.close();
    }
    assert.strictEqual(await Deno.readTextFile(`${directory}/ahma_mcp.2026-03-01.log`), "one\ntwo\n");
    assert.strictEqual(((await Deno.stat(directory)).mode ?? 0) & 0o777, 0o700);
    assert.strictEqual(((await Deno.stat(`${directory}/ahma_mcp.2026-03-01.log`)).mode ?? 0) & 0o777, 0o600);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("L8 openDailyFile() begins a new file at midnight and keeps 14 days", async () => {
  const directory = await Deno.makeTempDir();
  try {
    for (const name of ["ahma_mcp.2026-02-15.log", "ahma_mcp.2026-02-16.log", "ahma_mcp.2020-01-01.txt", "other"]) {
      await Deno.writeTextFile(`${directory}/${name}`, "");
    }
    let now = new Date("2026-03-01T23:59:59Z");
    const file = await openDailyFile(directory, () => now);
    await file.write("before\n");
    assert.deepStrictEqual(await names(directory), [
      "ahma_mcp.2020-01-01.txt",
      "ahma_mcp.2026-02-15.log",
      "ahma_mcp.2026-02-16.log",
      "ahma_mcp.2026-03-01.log",
      "other",
    ]);
    now = new Date("2026-03-02T00:00:00Z");
    await file.write("after\n");
    file.close();
    assert.deepStrictEqual(await names(directory), [
      "ahma_mcp.2020-01-01.txt",
      "ahma_mcp.2026-02-16.log",
      "ahma_mcp.2026-03-01.log",
      "ahma_mcp.2026-03-02.log",
      "other",
    ]);
    assert.strictEqual(await Deno.readTextFile(`${directory}/ahma_mcp.2026-03-02.log`), "after\n");
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
