/** The program answers `initialize` before it loads what speaks MCP (N3): the load, its failure, and that both agree. */
import assert from "node:assert/strict";
import { SERVER_RUN_FLAGS } from "../scripts/permissions.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { testRuntime } from "./_support/runtime.ts";
import { Workbench } from "./_support/workbench.ts";

const INITIALIZE = `${
  JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "0" } },
  })
}\n`;

Deno.test("N3 a program that lacks what speaks MCP ends with an error after its first answer", async () => {
  using bench = new Workbench();
  const { deno, bundle } = testRuntime(bench.user);
  await Deno.mkdir(`${bench.elsewhere}/program`);
  await Deno.copyFile(bundle, `${bench.elsewhere}/program/ahma_mcp.mjs`);
  const child = new Deno.Command(deno, {
    args: ["run", ...SERVER_RUN_FLAGS, `${bench.elsewhere}/program/ahma_mcp.mjs`],
    cwd: bench.scope,
    clearEnv: true,
    env: { HOME: bench.home, PATH: "/usr/bin:/bin", DENO_DIR: `${bench.elsewhere}/cache` },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const input = child.stdin.getWriter();
  await input.write(new TextEncoder().encode(INITIALIZE));
  const { code, stdout, stderr } = await child.output();
  await input.abort();
  const [answer = "", ...more] = new TextDecoder().decode(stdout).split("\n");
  assert.deepStrictEqual([code, JSON.parse(answer).id, more], [1, 1, [""]]);
  assert.match(new TextDecoder().decode(stderr), /worker\/service\.mjs/);
});

Deno.test("N3 the SDK's answer is the one that was given before, and a client may go on at once", async () => {
  using bench = new Workbench();
  for (const flags of [[], ["--sync"], ["--lean-tool-files", "--prompts", "--bundles", "all"]]) {
    await using server = await ServerProcess.start(bench, { flags: [...flags, "--debug", "--log-to-stderr"] });
    const { result } = await server.request("tools/list");
    assert.ok(Array.isArray(result?.tools));
    assert.match(server.stderr, /Ready/);
    assert.doesNotMatch(server.stderr, /first answer was another/);
  }
});
