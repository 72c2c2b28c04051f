/** What a temp directory without room does to the server (X8, S5): on a small file system of the test's own. */
import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { Workbench } from "./_support/workbench.ts";

/** Runs what follows where `place` is a file system of 24 MB and 2,000 files, after `prepare`. */
function onSmallDisk(place: string, prepare = "true"): readonly string[] {
  const script = `mount -t tmpfs -o size=24m,nr_inodes=2000,mode=777 tmpfs ${place} && ${prepare}; exec "$@"`;
  return ["unshare", "-rm", "sh", "-c", script, "sh"];
}

/** A line that writes so many bytes without a line feed. */
function flood(bytes: number): string {
  return `head -c ${bytes} /dev/zero | tr '\\0' x`;
}

/** How many bytes of the output that can no longer be read. */
async function lostOf(server: ServerProcess, line: string): Promise<number> {
  const { operation } = await server.shell(line);
  const { text } = await server.call("status", { operation_id: operation?.operation_id, lines: "1-1" });
  return Number(/(\d+) bytes are lost/.exec(text)?.[1] ?? 0);
}

const testShared = sharing((bench) => {
  return ServerProcess.start(bench, { prefix: onSmallDisk(bench.elsewhere), environment: { TMPDIR: bench.elsewhere } });
}, "ordinary");

testShared("X8 S5 outputs are kept again when a full temp directory has room again", async ({ server }) => {
  // No file can be made any more, so none for output.
  await server.shell("i=0; while : > $TMPDIR/i$i; do i=$((i + 1)); done 2> /dev/null");
  assert.ok(await lostOf(server, flood(3_000_000)) > 1_000_000);
  await server.shell("find $TMPDIR -name 'i*' -delete");
  assert.equal(await lostOf(server, flood(3_000_000)), 0);

  // No bytes are left: what was kept of the output that took them is given back at once.
  assert.ok(await lostOf(server, flood(40_000_000)) > 1_000_000);
  assert.match(
    (await server.shell("head -c 15000000 /dev/zero > $TMPDIR/room && echo room; rm $TMPDIR/room")).text,
    /^room$/m,
  );
  assert.equal(await lostOf(server, flood(3_000_000)), 0);
});

testShared(
  "S24 repositories are set aside while the temp directory is full, and looked at later too",
  async ({ server }) => {
    await server.shell("i=0; while : > $TMPDIR/i$i; do i=$((i + 1)); done 2> /dev/null");
    const hostile = (name: string) =>
      `git init -q ${name} 2>&1 && git -C ${name} config core.pager evil; readlink ${name}/.git`;
    assert.match((await server.shell(hostile("one"))).text, /^\[Set aside: .*\/one\/\.git/m);
    await server.shell("find $TMPDIR -name 'i*' -delete");
    assert.match((await server.shell(hostile("two"))).text, /^\[Set aside: .*\/two\/\.git" \(core\.pager\)/m);
    assert.doesNotMatch((await server.shell("git init -q plain")).text, /Set aside/);
  },
);

Deno.test("S5 a start where the temp directory is full says so and how to go on", async () => {
  using bench = new Workbench("ordinary");
  for (
    const prepare of ["head -c 30M /dev/zero > $TMPDIR/full", "seq -f $TMPDIR/i%g 3000 | xargs touch"]
  ) {
    const prefix = onSmallDisk(bench.elsewhere, `{ ${prepare}; } 2> /dev/null`);
    const server = ServerProcess.start(bench, { prefix, environment: { TMPDIR: bench.elsewhere } });
    await assert.rejects(server, (error: Error) => {
      assert.match(error.message, /Cannot create the private directory of the session: No space left on device/);
      assert.match(error.message, /Free space there, or set TMPDIR to a directory on another file system/);
      assert.doesNotMatch(error.message, /Internal error|\bat .*:\d+/);
      return true;
    });
  }
});
