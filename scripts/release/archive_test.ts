import assert from "node:assert/strict";
import { type ArchiveFile, writeTarball, writeZip } from "./archive.ts";

const FILES: readonly ArchiveFile[] = [
  { path: "b/program", content: "#!/bin/sh\n", executable: true },
  { path: "a.txt", content: new Uint8Array([0, 255]) },
];

const WRITERS = [["tar", writeTarball, "-tvf"], ["unzip", writeZip, "-Z"]] as const;

for (const [tool, write, list] of WRITERS) {
  Deno.test(`D4 ${write.name}() gives the same bytes in any order, place and year, with modes`, async () => {
    const place = await Deno.makeTempDir();
    try {
      await write(`${place}/one`, FILES);
      await write(`${place}/deep/er/two`, FILES.toReversed());
      const [one, two] = await Promise.all(["one", "deep/er/two"].map((name) => Deno.readFile(`${place}/${name}`)));
      assert.strictEqual(one?.toHex(), two?.toHex());
      const { stdout } = await new Deno.Command(tool, { args: [list, `${place}/one`] }).output();
      const lines = new TextDecoder().decode(stdout).split("\n").filter((line) => /program|a\.txt/.test(line));
      assert.deepStrictEqual(lines.map((line) => [line.slice(0, 10), line.split(" ").at(-1)]), [
        ["-rw-r--r--", "a.txt"],
        ["-rwxr-xr-x", "b/program"],
      ]);
    } finally {
      await Deno.remove(place, { recursive: true });
    }
  });
}

Deno.test("D4 writeTarball() says what tar said when it fails", async () => {
  const target = await Deno.makeTempFile();
  await assert.rejects(writeTarball(target, []), /^Error: tar failed \(exit code 2\): .*empty archive/);
  await Deno.remove(target);
});
