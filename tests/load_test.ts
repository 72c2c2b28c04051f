/**
 * Many calls, and little room. A temp directory without room (X8, S5) is on a small file system of the test's own. A user
 * with very many pipes gets smaller ones (pipe(7), pipe-user-pages-soft), into which neither a program that is handed to
 * a launcher that waits nor a long stdin goes at once.
 */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import type { ToolAnswer } from "./_support/json_rpc.ts";
import { readLines } from "./_support/line_reader.ts";
import { type Holdings, holdingsOf, lowestResident, processesWith } from "./_support/processes.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { ORDINARY_ID, Workbench } from "./_support/workbench.ts";

/** A command whose whole output is known, of a size that varies with `number`, some of it on stderr. */
function numbered(number: number): { readonly command: string; readonly expected: string } {
  const lines = 1 + number % 40;
  const command = `for ((i = 1; i <= ${lines}; i++)); do echo "call ${number} line $i"; done; echo "end ${number}" >&2`;
  const expected = Array.from({ length: lines }, (_, index) => `call ${number} line ${index + 1}`);
  return { command, expected: [...expected, `end ${number}`].join("\n") };
}

/** The output and nothing else: no line lost, none of another call. */
function assertWhole(answer: ToolAnswer, number: number): void {
  const { expected } = numbered(number);
  const lines = answer.text.split("\n").filter((line) => /^(call|end) \d/.test(line));
  assert.equal(lines.join("\n"), expected);
  assert.ok(!answer.failed);
}

/** Calls at once: many more than run at once. */
const NUMBERS = Array.from({ length: 60 }, (_, number) => number);

/** What the pool may hold in all (P1), with two children that are just being replaced. */
const POOL = 22;
/** Pipes of a warm shell, in the server. */
const DESCRIPTORS_OF_A_SHELL = 4;

/** Waits until the server holds no more than before, warm shells apart: they adapt to the load, within their cap. */
async function assertFlat(server: ServerProcess, before: Holdings): Promise<void> {
  let now = before;
  try {
    await until(
      async () => {
        now = await holdingsOf(server.pid);
        const warm = Math.max(0, now.children.length - before.children.length);
        return now.children.length <= POOL && now.descriptors <= before.descriptors + warm * DESCRIPTORS_OF_A_SHELL + 8;
      },
      10_000,
      "descriptors and children to come back",
    );
  } catch (error) {
    throw new Error(`Before ${JSON.stringify(before)}, now ${JSON.stringify(now)}`, { cause: error });
  }
}

async function warmedUp(server: ServerProcess): Promise<Holdings> {
  for (let number = 0; number < 20; number++) await server.shell("true");
  return await holdingsOf(server.pid);
}

/** One descriptor or process left by each would be far more than `assertFlat` lets pass. */
const IN_A_ROW = 150;

Deno.test(`P4 N6 ${IN_A_ROW} calls in a row: every output whole, descriptors, processes and memory flat`, async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench);
  const before = await warmedUp(server);
  for (let number = 0; number < IN_A_ROW; number++) {
    assertWhole(await server.shell(numbered(number).command), number);
  }
  await assertFlat(server, before);
  const memory = await lowestResident(server.pid, 200);
  assert.ok(memory < 200, `${memory} MiB`);
  assert.ok((await processesWith(bench.marker)).length < 40);
});

/** Does it twice: what the second time adds would also come the third and the thousandth time. */
async function assertTwiceIsOnce(burst: (server: ServerProcess) => Promise<void>): Promise<void> {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench);
  const before = await warmedUp(server);
  await burst(server);
  await assertFlat(server, before);
  await burst(server);
  await assertFlat(server, before);
}

Deno.test("P4 X12 many synchronous calls at once: none lost, none mixed", async () => {
  await assertTwiceIsOnce(async (server) => {
    const answers = await Promise.all(NUMBERS.map((number) =>
      server.call("sandboxed_shell", {
        command: numbered(number).command,
        execution_mode: "Synchronous",
      }, { deadline: 60_000 })
    ));
    answers.forEach((answer, number) => assertWhole(answer, number));
  });
});

Deno.test("X1 X12 B2 many background calls at once: each awaited result is its own", async () => {
  await assertTwiceIsOnce(async (server) => {
    const started = await Promise.all(
      NUMBERS.map((number) => server.start(numbered(number).command)),
    );
    for (const [number, { operation }] of started.entries()) {
      assertWhole(await server.call("await", { operation_id: operation?.operation_id }), number);
    }
  });
});

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

/** Holds as many pipes as it takes, says how much a further one holds, and ends with its stdin. */
const HOLDER = `
import fcntl, os, resource, sys
os.setgroups([]); os.setgid(${ORDINARY_ID}); os.setuid(${ORDINARY_ID})
resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
held = [os.pipe() for _ in range(1100)]
print(fcntl.fcntl(os.pipe()[0], 1032), flush=True)
sys.stdin.read()
`;
const ENOUGH = 20_608;
const TOOL = {
  name: "keep",
  description: "Keeps its stdin, and a line for each run.",
  command: "./keep",
  synchronous: true,
  subcommand: [{ name: "default", description: "Keeps its stdin", allow_stdin: true }],
};

Deno.test({
  name: "P3 X15 programs run as ever, once each, where pipes are too small for a launcher that waits (needs root)",
  ignore: Deno.uid() !== 0,
  async fn() {
    using bench = new Workbench("ordinary");
    bench.write(".ahma/tools/keep.json", JSON.stringify(TOOL));
    await Deno.chmod(bench.write("keep", "#!/bin/sh\necho >> runs\ncat > stdin\n"), 0o755);
    const command = new Deno.Command("python3", { args: ["-c", HOLDER], stdin: "piped", stdout: "piped" });
    await using holder = command.spawn();
    const sizes: number[] = [];
    const said = Promise.withResolvers<void>();
    void readLines(holder.stdout, (line) => {
      sizes.push(Number(line));
      said.resolve();
    });
    await said.promise;
    assert.ok(sizes[0] !== undefined && sizes[0] < ENOUGH, `${sizes}`);
    await using server = await ServerProcess.start(bench);
    const given = [undefined, "short", "long".repeat(50_000), "short", undefined];
    const kept: string[] = [];
    for (const stdin of given) {
      const { text, isError } = await server.call("keep", stdin === undefined ? {} : { stdin });
      assert.ok(!isError, text);
      kept.push(await Deno.readTextFile(`${bench.scope}/stdin`));
    }
    assert.deepStrictEqual(kept, given.map((stdin) => stdin ?? ""));
    assert.strictEqual(await Deno.readTextFile(`${bench.scope}/runs`), "\n".repeat(given.length));
    await holder.stdin.close();
  },
});
