/** Scripts of several HTTP clients (those of isolated sessions: tests/http), and of a server without a sandbox. */
import assert from "node:assert/strict";
import { HttpClient } from "./_support/clients/http_client.ts";
import { toolAnswer } from "./_support/json_rpc.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { Workbench } from "./_support/workbench.ts";

const FLAGS = ["--bundles", "files", "--code-mode", "all"];

Deno.test("K11 H2 H4 the script of one session is not seen or ended by another; without a session its id is the way to it", async () => {
  using bench = new Workbench();
  await using server = await HttpServerProcess.start(bench, { flags: [...FLAGS, "--inline-wait", "0"] });
  const waits = `await tools.sandboxed_shell({ command: "touch sleeps.txt; exec sleep 312" });`;
  const one = await HttpClient.connect(server);
  await using other = await HttpClient.connect(server);
  const id = /^op_\w+/.exec((await one.call("run_script", { code: waits })).text)?.[0] ?? "";
  await bench.appears("sleeps.txt");
  for (const tool of ["await", "cancel", "status"]) {
    assert.match((await other.call(tool, { operation_id: id })).text, new RegExp(`"${id}" is unknown`), tool);
  }
  const code = `return (await tools.status()).text`;
  const seen = await other.call("run_script", { code });
  const mine = /^op_\w+/.exec(seen.text)?.[0];
  const { text } = await other.call("await", { operation_id: mine });
  assert.match(text, /^"1 running, 0 queued, 0 ended[^\n]*\\nRunning:\\nop_\w+ run_script/);
  assert.ok(!text.includes(id), text);
  assert.match((await one.call("cancel", { operation_id: id })).text, /is cancelled, its processes are gone/);
  await bench.processesGone("sleep 312");
  await one[Symbol.asyncDispose]();
  await endsWithoutSession(server);
});

/** A request without a session runs a script, finds it by its id and ends it. */
async function endsWithoutSession(server: HttpServerProcess): Promise<void> {
  const call = async (name: string, args: object) => {
    const response = await server.modern("tools/call", { name, arguments: args }, { accept: "application/json" });
    return toolAnswer(await response.json());
  };
  const started = (await call("run_script", { code: "for (;;);" })).text;
  const id = /^op_\w+/.exec(started)?.[0];
  assert.match((await call("status", { operation_id: id })).text, /run_script running/);
  assert.match((await call("cancel", { operation_id: id })).text, /is cancelled, its processes are gone/);
}

Deno.test("K11 without a sandbox a script still has no permission and stays within its limits", async () => {
  using bench = new Workbench();
  const outside = bench.write(`${bench.elsewhere}/outside`, "outside\n");
  await using server = await ServerProcess.start(bench, {
    flags: [...FLAGS, "--no-sandbox", "--sync", "--limit-memory", "1000M"],
  });
  const run = async (code: string) => await server.call("run_script", { code }, { deadline: 60_000 });
  const reads = `const { text } = await tools.sandboxed_shell({ command: "cat ${outside}" });
    const own = await import("node:fs").then((fs) => fs.readFileSync("${outside}", "utf8")).catch((error) => error.message);
    return [text.split("\\n")[0], own];`;
  const flood = "for (;;) Deno.stderr.writeSync(new Uint8Array(65536).fill(10));";
  assert.match((await run(flood)).operation?.message ?? "", /It was ended by SIGXFSZ/);
  const arrays = "const all = []; for (;;) all.push(new Uint8Array(6e7).fill(1));";
  assert.match((await run(arrays)).operation?.message ?? "", /allocation failed|process of the script is gone/);
  const [shell, own] = JSON.parse((await run(reads)).text.split("\n")[0] ?? "");
  // Commands are not confined: the control.
  assert.strictEqual(shell, "outside");
  assert.match(own, /^Requires read access/);
});
