import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { exists, Workbench } from "./_support/workbench.ts";

/** Five steps, each leaves a file of its name; one of them fails or waits. */
function fiveSteps(bench: Workbench, third: string): void {
  const step = (name: string, script: string) => ({
    name,
    argv: ["-c", `touch ${name}; ${script}`],
    description: `Step ${name}`,
    synchronous: true,
  });
  const names = ["one", "two", "three", "four", "five"];
  const tool = {
    name: "work",
    description: "Works",
    command: "bash",
    subcommand: names.map((name) => step(name, name === "three" ? third : "true")),
  };
  const sequence = {
    name: "all_steps",
    description: "Runs the steps",
    command: "sequence",
    step_delay_ms: 0,
    sequence: names.map((subcommand) => ({ tool: "work", subcommand, description: `do ${subcommand}` })),
  };
  bench.write(".ahma/tools/a.json", JSON.stringify(tool));
  bench.write(".ahma/tools/b.json", JSON.stringify(sequence));
}

function made(bench: Workbench): readonly string[] {
  return ["one", "two", "three", "four", "five"].filter((name) => exists(`${bench.scope}/${name}`));
}

for (const mode of ["Synchronous", "AsyncResultPush"]) {
  Deno.test(`T14 a failing third step ends a sequence of five, ${mode}: the rest never starts and the result says so`, async () => {
    using bench = new Workbench();
    fiveSteps(bench, "echo broken; exit 9");
    await using server = await ServerProcess.start(bench);
    const progress: string[] = [];
    server.listen((message) => {
      if (message.method === "notifications/progress") progress.push(String(message.params?.message));
    });
    const call = await server.call("all_steps", { execution_mode: mode }, { progressToken: 1 });
    const answer = mode === "Synchronous"
      ? call
      : await server.call("await", { operation_id: call.operation?.operation_id }, { progressToken: 2 });
    assert.match(answer.text, /failed, exit code 9/);
    assert.match(answer.text, /\[step 3\/5 failed, exit code 9/);
    assert.match(answer.text, /broken/);
    assert.deepStrictEqual(made(bench), ["one", "two", "three"]);
    assert.ok(answer.isError);
  });
}

Deno.test("T14 a cancel in a step of a sequence ends that step and starts no other", async () => {
  using bench = new Workbench();
  fiveSteps(bench, "setsid sleep 300 & sleep 300");
  await using server = await ServerProcess.start(bench);
  const started = await server.call("all_steps");
  const id = started.operation?.operation_id;
  while (!exists(`${bench.scope}/three`)) await server.call("status", { operation_id: id });
  const cancelled = await server.call("cancel", { operation_id: id, reason: "enough" });
  assert.match(cancelled.text, /cancelled/);
  assert.match((await server.call("status", { operation_id: id })).text, /cancelled/);
  assert.deepStrictEqual(made(bench), ["one", "two", "three"]);
});

Deno.test("T14 X9 a step is ended by its own time limit, the output says so, and the rest does not run", async () => {
  using bench = new Workbench();
  const steps = [
    { tool: "sandboxed_shell", subcommand: "default", args: { command: "echo first; sleep 60", timeout_seconds: 0.3 } },
    { tool: "sandboxed_shell", subcommand: "default", args: { command: "echo second" } },
  ];
  const file = { name: "slow", command: "sequence", description: "Two steps.", synchronous: true, sequence: steps };
  bench.write(".ahma/tools/slow.json", JSON.stringify(file));
  await using server = await ServerProcess.start(bench);
  const { text, isError } = await server.call("slow");
  assert.ok(isError);
  assert.match(text, /^first$/m);
  assert.match(text, /^\[the step's time is up: 300 ms\]$/m);
  assert.doesNotMatch(text, /^second$/m);
});
