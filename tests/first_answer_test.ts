/** The program answers `initialize` before it loads what speaks MCP (N3): the load, its failure, and that both agree. */
import assert from "node:assert/strict";
import { SERVER_RUN_FLAGS } from "../scripts/permissions.ts";
import { withDeadline } from "./_support/deadline.ts";
import { readLines } from "./_support/line_reader.ts";
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

/** A program with these parts and no others. */
function programWith(bench: Workbench, parts: readonly string[]): Deno.ChildProcess {
  const { deno, bundle } = testRuntime(bench.user);
  const folder = bundle.slice(0, bundle.lastIndexOf("/"));
  const program = `${bench.elsewhere}/program`;
  Deno.mkdirSync(`${program}/worker`, { recursive: true });
  for (const file of ["ahma_mcp.mjs", ...parts.map((part) => `worker/${part}`)]) {
    Deno.copyFileSync(`${folder}/${file}`, `${program}/${file}`);
  }
  return new Deno.Command(deno, {
    args: ["run", ...SERVER_RUN_FLAGS, `${program}/ahma_mcp.mjs`],
    cwd: bench.scope,
    clearEnv: true,
    env: { HOME: bench.home, PATH: "/usr/bin:/bin", DENO_DIR: `${bench.elsewhere}/cache` },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

Deno.test("N3 a program that lacks what serves a session ends with an error after its first answer", async () => {
  using bench = new Workbench();
  const child = programWith(bench, []);
  const input = child.stdin.getWriter();
  await input.write(new TextEncoder().encode(INITIALIZE));
  const { code, stdout, stderr } = await child.output();
  await input.abort();
  const [answer = "", ...more] = new TextDecoder().decode(stdout).split("\n");
  assert.deepStrictEqual([code, JSON.parse(answer).id, more], [1, 1, [""]]);
  assert.match(new TextDecoder().decode(stderr), /worker\/session\.mjs/);
});

Deno.test("N3 a program without the SDK's file answers a request that needs it with an error, and serves all others", async () => {
  using bench = new Workbench();
  const child = programWith(bench, ["session.mjs"]);
  const input = child.stdin.getWriter();
  const requests = [["resources/read", { uri: "ahma://operations" }], ["ping", {}]] as const;
  const lines = requests.map(([method, params]) =>
    `${JSON.stringify({ jsonrpc: "2.0", id: method, method, params })}\n`
  );
  await input.write(new TextEncoder().encode(INITIALIZE + lines.join("")));
  const answers = new Map<unknown, Record<string, unknown>>();
  const read = readLines(child.stdout, (line) => {
    const answer = JSON.parse(line);
    answers.set(answer.id, answer);
    if (answers.size === 3) void input.close();
  });
  const [{ code }] = await withDeadline(Promise.all([child.status, read, child.stderr.cancel()]), 60_000, "its end");
  assert.equal(code, 0);
  assert.match(
    JSON.stringify(answers.get("resources/read")),
    /Cannot answer: Module not found .*worker\/service\.mjs.* restart the server/,
  );
  assert.deepStrictEqual(answers.get("ping")?.["result"], {});
});

Deno.test("N3 the SDK's answer is the one that was given before, and a client may go on at once", async () => {
  using bench = new Workbench();
  for (const flags of [[], ["--sync", "--lean-tool-files", "--prompts", "--bundles", "all"]]) {
    await using server = await ServerProcess.start(bench, { flags: [...flags, "--debug", "--log-to-stderr"] });
    const { result } = await server.request("tools/list");
    assert.ok(Array.isArray(result?.tools));
    assert.match(server.stderr, /Ready/);
    assert.doesNotMatch(server.stderr, /first answer was another/);
  }
});
