import assert from "node:assert/strict";
import { type ArchiveFile, writeTarball, writeZip } from "./archive.ts";

const FILES: readonly ArchiveFile[] = [
  { path: "b/program", content: "#!/bin/sh\n", executable: true },
  { path: "a.txt", content: new Uint8Array([0, 255]) },
];

/** A line for each file: what Python reads of a zip file, its sums checked, in the words of tar. */
const LIST_ZIP = `
import stat, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
  assert archive.testzip() is None
  for one in archive.infolist():
    print(stat.filemode(one.external_attr >> 16), one.file_size, "%d-%d-%d %d:%d:%d" % one.date_time, one.filename)
`;
const WRITERS = [
  [writeTarball, ["tar", "-tvf"]],
  [writeZip, ["python3", "-c", LIST_ZIP]],
] as const;

for (const [write, [tool, ...words]] of WRITERS) {
  Deno.test(`D4 ${write.name}() gives the same bytes in any order, place and year, with modes`, async () => {
    const place = await Deno.makeTempDir();
    try {
      await write(`${place}/one`, FILES);
      await write(`${place}/deep/er/two`, FILES.toReversed());
      const [one, two] = await Promise.all(["one", "deep/er/two"].map((name) => Deno.readFile(`${place}/${name}`)));
      assert.strictEqual(one?.toHex(), two?.toHex());
      const { stdout } = await new Deno.Command(tool, { args: [...words, `${place}/one`] }).output();
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
