/** `run_script` is an operation as any call: it goes on in the background, shows its output, and is ended in each way. */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { TestCollector } from "./_support/servers/collector.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";
import { HTTP_PERMISSIONS as permissions } from "../scripts/permissions.ts";

/** Answers with an id at once. */
const FLAGS = ["--bundles", "files", "--code-mode", "all", "--inline-wait", "0"];
/** Waits in a call until the file `go.txt` is there. */
const WAITS = `console.log("begun", 1);
  const { text } = await tools.sandboxed_shell({ command: "touch waits.txt; until [ -e go.txt ]; do sleep 0.05; done; echo went" });
  console.log(text.split("\\n")[0]);
  return { done: true };`;

async function begun(server: ServerProcess, code: string, options = {}): Promise<string> {
  const { text } = await server.call("run_script", { code }, options);
  return /^(op_\w+) started\./.exec(text)?.[1] ?? assert.fail(text);
}

/** Live output, a place in status and a result. */
async function isAnOperation(bench: Workbench, server: ServerProcess): Promise<void> {
  const id = await begun(server, WAITS);
  await bench.appears("waits.txt");
  const { text } = await server.call("await", { operation_id: id, timeout_seconds: 0 });
  assert.match(text, new RegExp(`^${id} still runs after [^\\n]+ Output so far:\\nbegun 1\\n`));
  const status = (await server.call("status")).text;
  assert.match(status, new RegExp(`\\n${id} run_script running for [^\\n]+: console\\.log\\("begun", 1\\); const`));
  assert.match(status, /\nop_\w+ sandboxed_shell running for/);
  bench.write("go.txt", "");
  const ended = await server.call("await", { operation_id: id });
  assert.match(
    ended.text,
    /^begun 1\nwent\n\{"done":true\}\n\[script: 1 call, \d+ characters of answers\]\n\[exit code 0, [^\]]+\]$/,
  );
}

Deno.test("K11 a script that takes longer than the wait is an operation, which a client and a person end with what it called, and at once; scripts do not occupy the slots that their calls need, and only a few run at once", async () => {
  using bench = new Workbench();
  const log = `${bench.elsewhere}/audit.jsonl`;
  const flags = [...FLAGS, "--audit-log", log, "--max-concurrency", "1"];
  await using server = await ServerProcess.start(bench, { flags });
  await isAnOperation(bench, server);
  const calls =
    'Deno.addSignalListener("SIGTERM", () => {}); await tools.sandboxed_shell({ command: "touch sleeps.txt; exec sleep 311" });';
  const first = await begun(server, calls);
  await bench.appears("sleeps.txt");
  const cancelled = (await server.call("cancel", { operation_id: first, reason: "enough" })).text;
  assert.match(
    cancelled,
    new RegExp(`^${first} is cancelled, its processes are gone\\. \\[no output, cancelled, [^:]+: enough\\]`),
  );
  await bench.processesGone("sleep 311");
  const loop = await begun(server, "for (;;);");
  const ended = await runProgram(bench, ["kill", loop]);
  assert.match(ended.stdout, new RegExp(`^Ended ${loop}[^\\n]*: run_script, running for`), ended.stderr);
  const lines = () => Deno.readTextFileSync(log).trim().split("\n").map((line) => JSON.parse(line));
  const ends = lines().filter(({ event }) => event === "end").map((
    { tool, outcome, signal },
  ) => [tool, outcome ?? signal]);
  assert.deepStrictEqual(
    ends.filter(([tool]) => tool !== "(server)"),
    [
      ["sandboxed_shell", undefined],
      ["run_script", "completed"],
      ["sandboxed_shell", "SIGTERM"],
      ["run_script", "cancelled"],
      ["run_script", "cancelled"],
    ],
  );
  await Deno.remove(`${bench.scope}/go.txt`);
  await leaveSlotsFree(bench, server);
});

/** Scripts do not occupy the slots that their calls need, and only a few run at once. */
async function leaveSlotsFree(bench: Workbench, server: ServerProcess): Promise<void> {
  const ids: string[] = [];
  for (let number = 0; number < 4; number++) ids.push(await begun(server, WAITS));
  const { text } = await server.call("run_script", { code: "return 5" });
  assert.match(text, /^op_\w+ queued at position 1\./);
  bench.write("go.txt", "");
  for (const id of ids) assert.match((await server.call("await", { operation_id: id })).text, /^begun 1\nwent\n/);
  const fifth = /op_\w+/.exec(text)?.[0];
  assert.match((await server.call("await", { operation_id: fifth })).text, /^5\n\[script: 0 calls,/);
}

Deno.test("K11 V5 a client that waits for a script sees its console before the end, and the ends of other operations, which the script does not; a collector is told of it and its calls", async () => {
  await using collector = new TestCollector();
  using bench = new Workbench("ordinary");
  await using server = await ServerProcess.start(bench, {
    flags: ["--bundles", "files", "--code-mode", "all", "--inline-wait", "60000", "--otlp", `${collector.url}/`],
    permissions,
  });
  const other = (await server.start("echo other ended")).operation?.operation_id;
  const status = async () => (await server.call("status", { operation_id: other })).text;
  await until(async () => /completed/.test(await status()), 20_000, "the end of the other operation");
  const code = `return (await tools.sandboxed_shell({ command: "echo own" })).text.split("\\n")[0]`;
  const { result } = await server.request("tools/call", { name: "run_script", arguments: { code } });
  const [own, rest] = (result?.["content"] as readonly { readonly text: string }[]).map(({ text }) => text);
  assert.match(own ?? "", /^"own"\n\[script: 1 call, /);
  assert.match(rest ?? "", new RegExp(`^\\nEnded since:\\n\\[${other} completed`));
  const answer = server.call("run_script", { code: WAITS }, { progressToken: "script" });
  const { params } = await server.notification(
    "notifications/progress",
    ({ progressToken }) => progressToken === "script",
  );
  assert.strictEqual(params?.["message"], "begun 1");
  bench.write("go.txt", "");
  assert.match((await answer).text, /^begun 1\nwent\n\{"done":true\}\n/);
  await server.call("run_script", { code: 'await tools.files_glob({ pattern: "*" }); throw new Error("one")' });
  await server.closeInput();
  await server.exit();
  const seen = collector.spans.slice(-3).map((
    { name, attributes },
  ) => [name, attributes["ahma.state"] ?? attributes["error.type"]]);
  assert.deepStrictEqual(seen, [
    ["operation files_glob", "completed"],
    ["operation run_script", "failed"],
    ["tools/call run_script", "tool_error"],
  ]);
});
