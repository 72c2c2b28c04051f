/** Servers and clients that others wrote, from npm and PyPI, behind and in front of ours, with our default flags. */
import assert from "node:assert/strict";
import { HTTP_PERMISSIONS } from "../scripts/permissions.ts";
import { type ToolAnswer, toolAnswer } from "./_support/json_rpc.ts";
import { listening } from "./_support/servers/listening.ts";
import { officialServer, testCache } from "./_support/packages/npm_tools.ts";
import { programStart } from "./_support/program.ts";
import { fastmcpWithSdk, KEEPS_COMPILED, uvPackage } from "./_support/packages/python_packages.ts";
import { runProgram } from "./_support/terminal.ts";
import type { ServerProcess } from "./_support/server_process.ts";
import { namesOf, withServers, writeServers } from "./_support/servers/upstream.ts";
import { exists, Workbench } from "./_support/workbench.ts";

const [FILES, MEMORY, UV, FASTMCP] = await Promise.all([
  officialServer("filesystem"),
  officialServer("memory"),
  uvPackage(),
  fastmcpWithSdk(),
]);
const PROBLEM = [FILES, MEMORY, UV, FASTMCP].map(({ problem }) => problem).find((problem) => problem !== undefined);
if (PROBLEM !== undefined && Deno.env.get("CI") !== undefined) throw new Error(PROBLEM);
const MISSING = PROBLEM === undefined ? "" : ` (left out: ${PROBLEM})`;
const ignore = PROBLEM !== undefined;

/** Where this machine keeps the certificates that it trusts; uvx brings others. */
const CERTIFICATES = Object.fromEntries(
  Object.entries(Deno.env.toObject()).filter(([name]) => ["SSL_CERT_FILE", "SSL_CERT_DIR"].includes(name)),
);

const FASTMCP_SERVER = new URL("fixtures/fastmcp_server.py", import.meta.url).pathname;
const TOOLS = ["add", "fails", "front", "picture", "slow"];

Deno.test({
  name: `O1 O6 O7 entries as other clients have them work unchanged: npx and uvx fetch what they start${MISSING}`,
  ignore,
  async fn() {
    using bench = new Workbench();
    const config = writeServers(bench, {
      // Versions with few dependencies: each is fetched into an empty cache.
      memory: { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory@0.6.2"] },
      time: { command: `${UV.programs}/uvx`, args: ["--with", "mcp==1.1.3", "mcp-server-time==0.6.2"] },
    });
    const test = async () => {
      const words = ["servers", "test", "--json", "--mcp-config", config, "--read", testCache()];
      const { code, stdout } = await runProgram(bench, words, { deadline: 120_000, environment: CERTIFICATES });
      const { servers } = JSON.parse(stdout);
      const all = servers.map(({ name, state, tools, problem }: Readonly<Record<string, unknown>>) => [
        name,
        state,
        tools,
        problem,
      ]);
      return { code, all };
    };
    const ready = ["memory", "ready", 9, undefined];
    assert.deepStrictEqual(await test(), { code: 0, all: [ready, ["time", "ready", 2, undefined]] });
    // What was fetched is there for a server that is given no network: its directories are kept alike for each launcher.
    const { mcpServers } = JSON.parse(Deno.readTextFileSync(config));
    // As npx ends of a package that was never fetched: it passes the runtime's words on.
    const asks = 'require("dns").lookup("registry.example", (error) => { throw error; })';
    const offline = { command: "node", args: ["-e", asks], network: "none" };
    writeServers(bench, { memory: { ...mcpServers.memory, network: "none" }, offline });
    const { code, all: [memory, [name, state, , problem]] } = await test();
    assert.deepStrictEqual([code, memory, name, state], [1, ready, "offline", "failed"]);
    assert.deepStrictEqual(
      String(problem).split("\n").at(-1),
      'Server "offline" has no network. A person allows it with "network": "full" in the entry of "offline"; after ' +
        '"ahma_mcp servers test offline" packages are there, and the entry can be narrowed again.',
    );
  },
});

Deno.test({
  name:
    `O6 S15 server-filesystem and server-memory name the field of the entry that they lack, and the first works with it${MISSING}`,
  ignore,
  async fn() {
    using bench = new Workbench();
    const [command = "", ...args] = FILES.command;
    const files = { command, args: [...args, bench.elsewhere] };
    const memory = { command: MEMORY.command[0], env: { MEMORY_FILE_PATH: `${bench.elsewhere}/memory.jsonl` } };
    bench.write(`${bench.elsewhere}/a.txt`, "text of a\n");
    const own = bench.write(`${bench.elsewhere}/own/b.txt`, "text of b\n");
    const both = { args: [...files.args, bench.scope], read: [bench.elsewhere], write: [`${bench.elsewhere}/own`] };
    const servers = { closed: files, reader: { ...files, ...both, prefix: "r" }, forgets: memory };
    await using server = await withServers(bench, servers, { flags: ["--read", testCache()] });
    const call = async (name: string, input: object) => {
      const { text, isError } = await server.call(name, input);
      return [isError, text.split("\n").at(-1) === "" ? text : text.split("\n").at(-1)];
    };
    const path = `${bench.elsewhere}/a.txt`;
    await namesOf(server, "r_");
    const closed = await server.request("tools/call", { name: "closed_read_text_file", arguments: { path } });
    const opened = `"read": ["${bench.elsewhere}"] or "write": ["${bench.elsewhere}"]`;
    // For the server its directory does not exist, and it ends: before the call, which is then refused, or in it.
    const said = closed.error?.message ?? toolAnswer(closed).text;
    const cannot = allowed("closed", { cannot: "neither read nor change", path: bench.elsewhere, fields: opened });
    assert.ok(said.split("\n").includes(cannot), said);
    assert.deepStrictEqual(await call("r_read_text_file", { path }), [false, "text of a\n"]);
    const fresh = `${bench.elsewhere}/fresh.txt`;
    const needs = { cannot: "read but not change", path: fresh, fields: `"write": ["${bench.elsewhere}"]` };
    assert.deepStrictEqual(await call("r_write_file", { path: fresh, content: "b" }), [
      true,
      `Sandbox: ${allowed("reader", needs)}`,
    ]);
    await call("r_write_file", { path: own, content: "b" });
    assert.deepStrictEqual(Deno.readTextFileSync(own), "b");
    const inScope = `${bench.scope}/new.txt`;
    assert.deepStrictEqual(
      (await call("r_write_file", { path: inScope, content: "b" }))[1],
      `Sandbox: ${allowed("reader", { cannot: "read but not change", path: inScope, fields: '"write": ["scope"]' })}`,
    );
    const entities = [{ name: "ann", entityType: "person", observations: ["likes tea"] }];
    const forgotten = await call("forgets_create_entities", { entities });
    assert.match(String(forgotten[1]), /^Sandbox: Server "forgets" .* A person can allow it: .*"write": \["\/.*"\] in/);
    const { text } = await server.call("status");
    assert.match(text, /^reader: ready, 14 tools\n {2}last denied: Server "reader" can read but not change /m);
  },
});

interface Wanted {
  readonly cannot: string;
  readonly path: string;
  readonly fields: string;
}

function allowed(server: string, { cannot, path, fields }: Wanted): string {
  return `Server "${server}" can ${cannot} "${path}". A person can allow it: ${fields} in the entry of "${server}".`;
}

/** On a busy machine a call may become an operation that should not. */
async function ended(server: ServerProcess, answer: ToolAnswer): Promise<ToolAnswer> {
  const id = answer.operation?.operation_id;
  return id === undefined ? answer : await server.call("await", { operation_id: id });
}

async function tryBehind(bench: Workbench, server: ServerProcess, name: string): Promise<void> {
  assert.deepStrictEqual(await namesOf(server, `${name}_`), TOOLS.map((tool) => `${name}_${tool}`));
  const added = await ended(server, await server.call(`${name}_add`, { a: 2, b: 3 }, { progressToken: name }));
  assert.deepStrictEqual([added.text, added.result["structuredContent"]], ["5", { result: 5 }]);
  await server.notification("notifications/progress", (params) => {
    return params["progressToken"] === name && params["total"] === 2 && params["message"] === "adding";
  });
  const { content } = (await ended(server, await server.call(`${name}_picture`))).result;
  assert.deepStrictEqual(content, [{ type: "image", data: "aGk=", mimeType: "image/png" }]);
  const failed = await ended(server, await server.call(`${name}_fails`));
  assert.deepStrictEqual([failed.isError, failed.text], [true, "it cannot be done"]);
  const wrong = await ended(server, await server.call(`${name}_add`, { a: "x" }));
  assert.deepStrictEqual([wrong.isError, wrong.text.includes("validation error")], [true, true], wrong.text);
  const file = `${bench.scope}/${name}`;
  const slow = await server.call(`${name}_slow`, { file: `${file}.never` });
  const cancelled = await server.call("cancel", { operation_id: slow.operation?.operation_id });
  assert.match(cancelled.text, /cancelled/);
  const waiting = await server.call(`${name}_slow`, { file });
  bench.write(name, "");
  assert.match((await server.call("await", { operation_id: waiting.operation?.operation_id })).text, /^waited/);
}

/** `server` reaches the process of fastmcp at `url`, in which its client and proxy start the program before that server. */
async function tryInFront(bench: Workbench, server: ServerProcess, url: string): Promise<void> {
  const config = writeServers(bench, { sum: { url } }, "front.json");
  const { command, args, environment } = programStart(bench, ["--mcp-config", config], [], HTTP_PERMISSIONS);
  const entry = { command, args, env: environment, cwd: bench.scope };
  const calls = [["sandboxed_shell", { command: "echo hi" }], ["sum_add", { a: 2, b: 3 }], ["sum_fails", {}]];
  const { text, isError } = await ended(server, await server.call("far_front", { entry, calls }));
  assert.ok(!isError, text.slice(-4000));
  // A call that was not quick says so.
  const said = (text.split("\n")[0] ?? "").replace(/\[exit code 0, [\d.]+ s\]/, "");
  const { steps, ...answered } = JSON.parse(said);
  // A call that takes long has steps of our own, which have no total.
  assert.deepStrictEqual(steps.filter(([, total]: readonly unknown[]) => total !== null), [[1, 2]]);
  assert.deepStrictEqual(answered, {
    tools: ["await", "cancel", "sandboxed_shell", "send", "status", ...TOOLS.map((tool) => `sum_${tool}`)],
    texts: [[false, "hi\n"], [false, "5"], [true, "it cannot be done"]],
  });
  assert.ok(!exists(`${bench.home}/.fastmcp`));
}

Deno.test({
  name:
    "O1 O2 B6 a fastmcp server works over stdio and HTTP, with progress, images, errors, operations and cancel, and " +
    `fastmcp's client and proxy in front reach it and our tools${MISSING}`,
  ignore,
  async fn() {
    using bench = new Workbench();
    const script = bench.write("adds.py", Deno.readTextFileSync(FASTMCP_SERVER));
    await using far = await listening((port) => [FASTMCP.python, FASTMCP_SERVER, String(port)], () => KEEPS_COMPILED);
    const url = `http://127.0.0.1:${far.port}/mcp`;
    const servers = { sum: { command: FASTMCP.python, args: [script], waitMs: 500 }, far: { url, waitMs: 500 } };
    const options = { permissions: HTTP_PERMISSIONS, flags: ["--read", testCache()] };
    await using server = await withServers(bench, servers, options);
    for (const name of ["sum", "far"]) await tryBehind(bench, server, name);
    await tryInFront(bench, server, url);
    // It keeps the program that it started for as long as it lives.
    await far[Symbol.asyncDispose]();
  },
});
