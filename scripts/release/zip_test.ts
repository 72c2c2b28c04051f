import assert from "node:assert/strict";
import { zipOf } from "./zip.ts";

/** What Python reads of a zip file, which checks its sums. */
const READ = `
import io, json, sys, zipfile
with zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read())) as archive:
  print(json.dumps([[one.filename, oct(one.external_attr >> 16), one.date_time, archive.read(one).hex()]
    for one in archive.infolist()]))
`;

Deno.test("D4 zipOf() gives a file that others read: names, modes, time and contents", async () => {
  const entries = [
    { path: "a/run", content: new TextEncoder().encode("#!/bin/sh\n"), mode: 0o755 },
    { path: "empty", content: new Uint8Array(0), mode: 0o644 },
    { path: "bytes", content: Uint8Array.from({ length: 70_000 }, (_, at) => at * 7), mode: 0o600 },
  ];
  const zip = zipOf(entries, new Date("2021-02-03T04:05:06Z"));
  await using child = new Deno.Command("python3", { args: ["-c", READ], stdin: "piped", stdout: "piped" }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(zip);
  await writer.close();
  assert.deepStrictEqual(
    JSON.parse(await child.stdout.text()),
    entries.map(({ path, content, mode }) => {
      return [path, `0o100${mode.toString(8)}`, [2021, 2, 3, 4, 5, 6], content.toHex()];
    }),
  );
});
