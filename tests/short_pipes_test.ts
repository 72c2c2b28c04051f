/**
 * A user with very many pipes gets smaller ones (pipe(7), pipe-user-pages-soft), into which neither a program that is
 * handed to a launcher that waits nor a long stdin goes at once.
 */
import assert from "node:assert/strict";
import { readLines } from "./_support/line_reader.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { ORDINARY_ID, Workbench } from "./_support/workbench.ts";

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
