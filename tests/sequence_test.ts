import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { exists, Workbench } from "./_support/workbench.ts";

const STEPS = ["one", "two", "three", "four", "five"];

/** Five steps, each leaves a file of its name; the third does what the file `third` in its directory says. */
function writeFiveSteps(bench: Workbench): void {
  const step = (name: string) => ({
    name,
    argv: ["-c", `touch ${name}${name === "three" ? "; . ./third" : ""}`],
    description: `Step ${name}`,
    synchronous: true,
  });
  const tool = { name: "work", description: "Works", command: "bash", subcommand: STEPS.map(step) };
  const sequence = {
    name: "all_steps",
    description: "Runs the steps",
    command: "sequence",
    step_delay_ms: 0,
    sequence: STEPS.map((subcommand) => ({ tool: "work", subcommand, description: `do ${subcommand}` })),
  };
  bench.write(".ahma/tools/a.json", JSON.stringify(tool));
  bench.write(".ahma/tools/b.json", JSON.stringify(sequence));
}

/** Two steps, the first of which takes longer than it may. */
function writeSlow(bench: Workbench): void {
  const sequence = [
    { tool: "sandboxed_shell", subcommand: "default", args: { command: "echo first; sleep 60", timeout_seconds: 4 } },
    { tool: "sandboxed_shell", subcommand: "default", args: { command: "echo second" } },
  ];
  const file = { name: "slow", command: "sequence", description: "Two steps.", synchronous: true, sequence };
  bench.write(".ahma/tools/slow.json", JSON.stringify(file));
}

function made(bench: Workbench, directory: string): readonly string[] {
  return STEPS.filter((name) => exists(`${bench.scope}/${directory}/${name}`));
}

const testUsual = sharing((bench) => {
  writeFiveSteps(bench);
  writeSlow(bench);
  return ServerProcess.start(bench);
});

for (const mode of ["Synchronous", "AsyncResultPush"]) {
  testUsual(
    `T14 a failing third step ends a sequence of five, ${mode}: the rest never starts and the result says so`,
    async ({ bench, server }) => {
      bench.write(`${mode}/third`, "echo broken; exit 9");
      const call = await server.call("all_steps", { execution_mode: mode, working_directory: mode });
      const answer = mode === "Synchronous"
        ? call
        : await server.call("await", { operation_id: call.operation?.operation_id });
      assert.match(answer.text, /\n\[exit code 9, [\d.]+ m?s\]$/);
      assert.match(answer.text, /\[step 3\/5 failed, exit code 9/);
      assert.match(answer.text, /broken/);
      assert.deepStrictEqual(made(bench, mode), ["one", "two", "three"]);
      assert.deepStrictEqual([answer.isError, answer.failed], [false, true]);
    },
  );
}

testUsual("T14 a cancel in a step of a sequence ends that step and starts no other", async ({ bench, server }) => {
  bench.write("cancelled/third", "setsid sleep 300 & sleep 300");
  const args = { execution_mode: "AsyncResultPush", working_directory: "cancelled" };
  const id = (await server.call("all_steps", args)).operation?.operation_id;
  await bench.appears("cancelled/three");
  const cancelled = await server.call("cancel", { operation_id: id, reason: "enough" });
  assert.match(cancelled.text, /cancelled/);
  assert.match((await server.call("status", { operation_id: id })).text, /cancelled/);
  assert.deepStrictEqual(made(bench, "cancelled"), ["one", "two", "three"]);
});

testUsual(
  "T14 X9 a step is ended by its own time limit, the output says so, and the rest does not run",
  async ({ server }) => {
    await server.shell("true"); // The self-test before the first command takes none of the step's time.
    const { text, failed } = await server.call("slow");
    assert.ok(failed);
    assert.match(text, /^first$/m);
    assert.match(text, /^\[step timed out after 4\.\d s\]$/m);
    assert.doesNotMatch(text, /^second$/m);
  },
);

Deno.test("T4 T14 the server answers while it reads a tool file whose sequences have too many paths", async () => {
  using bench = new Workbench();
  const leaf = { description: "Does it", synchronous: true };
  const sequence = (level: number) => Array.from({ length: 14 }, () => ({ tool: "s", subcommand: `l${level + 1}` }));
  const subcommand = Array.from({ length: 8 }, (_, level) => ({
    name: `l${level}`,
    ...leaf,
    ...level < 7 ? { sequence: sequence(level) } : { argv: ["true"] },
  }));
  const options = [{ name: "o", pattern: "a*a{1000}a*b", default: "a".repeat(5_000) }];
  await using server = await ServerProcess.start(bench);
  const changed = server.notification("notifications/tools/list_changed");
  // A command makes them, as one that means harm would.
  const files = [{ name: "s", command: "env", ...leaf, subcommand }, {
    name: "slow",
    command: "echo",
    ...leaf,
    options,
  }];
  const lines = files.map((file) => `printf %s '${JSON.stringify(file)}' > new/tools/${file.name}.json`);
  await server.call("status");
  await server.shell(`mkdir -p new/tools; ${lines.join("; ")}; mv new .ahma`);
  await changed;
  assert.deepStrictEqual((await server.request("ping")).result, {});
  const { text } = await server.call("status");
  assert.match(
    text,
    /s\.json.*Sequence "s_l0" runs 113522234 steps with those of the sequences it calls, at most 1000/,
  );
  assert.match((await server.call("slow", { o: "a".repeat(3_000) })).text, /--o a{3000}/);
});
