/** `--code-mode`: a script in a process without permissions calls tools, in one call of the client. */
import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

const BUILT_IN = ["await", "cancel", "sandboxed_shell", "send", "status"];

async function start(bench: Workbench, ...flags: readonly string[]): Promise<ServerProcess> {
  return await ServerProcess.start(bench, { flags: ["--bundles", "files", "--sync", ...flags] });
}

/** What a script wrote and returned, or why it failed. */
async function run(server: ServerProcess, code: string): Promise<string> {
  const { text, operation } = await server.call("run_script", { code }, { deadline: 60_000 });
  const shown = text.slice(0, text.lastIndexOf("[script: "));
  return `${shown}${operation?.message ?? ""}`.trimEnd();
}

async function listsOneMoreTool(server: ServerProcess): Promise<void> {
  const { result } = await server.request("tools/list");
  const tools = result?.["tools"] as readonly { readonly name: string }[];
  assert.deepStrictEqual(tools.map(({ name }) => name), [...BUILT_IN, "find_tools", "call_tool", "run_script"]);
  const found = (await server.call("find_tools", { query: "files_read files_write" })).text;
  assert.match(found, /^tools\.files_read\(args: \{.*\bpath: string\b.*\}\)$/m);
  assert.doesNotMatch(found, /^tools\.files_write/m);
}

async function doesTheWorkOf50Calls(bench: Workbench, server: ServerProcess): Promise<void> {
  const numbers = Array.from({ length: 50 }, (_, number) => number);
  for (const number of numbers) bench.write(`f${number}.txt`, `${"some text\n".repeat(20)}count ${number}\n`);
  const code = `const names: string[] = Array.from({ length: 50 }, (_, n) => "f" + n + ".txt");
    const answers = await Promise.all(names.map((path) => tools.files_read({ path })));
    console.log("read", answers.length, { failed: answers.filter((one) => one.isError).length });
    return answers.reduce((sum: number, { text }) => sum + Number(/count (\\d+)/.exec(text)![1]), 0);`;
  const { text } = await server.call("run_script", { code });
  assert.match(text, /^read 50 \{ failed: 0 \}\n1225\n\[script: 50 calls, \d+ characters of answers\](?:\n|$)/);
  const plain = await Promise.all(
    numbers.map((number) => server.call("call_tool", { name: "files_read", arguments: { path: `f${number}.txt` } })),
  );
  const bytes = plain.reduce((sum, one) => sum + one.text.length, 0);
  assert.ok((code.length + text.length) * 10 < bytes, `${code.length + text.length} of ${bytes}`);
}

/** Calls tools that are not read-only, itself, and none. */
const FORBIDDEN = `const one = async (name, args) => (await tools[name](args)).text;
  return [await one("files_write", { path: "made.txt", content: "x" }), await one("sandboxed_shell", { command: "id" }),
    await one("run_script", { code: "1" }), await one("files_raed", {}), await one("__proto__", {}),
    (await tools.files_read({ path: "made.txt" })).isError]`;

async function callsReadOnlyTools(server: ServerProcess): Promise<void> {
  const refused = JSON.parse(await run(server, FORBIDDEN));
  const refusal = (name: string) =>
    `A script may not call "${name}": it is not read-only, and --code-mode all was not given`;
  assert.deepStrictEqual(refused, [
    refusal("files_write"),
    refusal("sandboxed_shell"),
    'Unknown tool "run_script"',
    'Unknown tool "files_raed"; did you mean "files_read"?',
    'Unknown tool "__proto__"',
    true,
  ]);
}

async function hasNoWayOut(bench: Workbench, server: ServerProcess): Promise<void> {
  bench.write("module.js", "export default 1;\n");
  const code = `const tried = async (make) => { try { return await make(); } catch (error) { return error.message; } };
    const node = (name) => import("node:" + name);
    const forge = async (message) => {
      const body = new TextEncoder().encode(JSON.stringify(message));
      const frame = new Uint8Array(4 + body.length);
      new DataView(frame.buffer).setUint32(0, body.length);
      frame.set(body, 4);
      (await node("process")).default.stdout.write(frame);
    };
    Object.prototype.isError = "polluted";
    await forge({ kind: "call", id: 7, name: "files_write", args: { path: "forged.txt", content: "x" } });
    const names = ["read", "write", "net", "env", "sys", "run", "ffi", "import"];
    return [names.filter((name) => Deno.permissions.querySync({ name }).state === "granted"), typeof fetch, typeof Worker, typeof process,
      await tried(async () => (await node("fs")).readFileSync("/etc/hostname", "utf8")),
      await tried(async () => (await node("fs")).readFileSync("${bench.scope}/module.js", "utf8")),
      await tried(async () => (await node("fs")).writeFileSync("${bench.scope}/x", "")),
      await tried(async () => (await node("process")).default.env.PATH),
      await tried(() => new Deno.Command("/bin/true").outputSync().code),
      await tried(async () => (await import("file://" + "${bench.scope}/module.js")).default),
      await tried(() => new Promise(async (resolve, reject) => {
        const socket = (await node("net")).connect(80, "127.0.0.1", () => resolve("connected"));
        socket.on("error", reject);
      })), (await tools.files_glob({ pattern: "*" })).text];`;
  const bad = `(await import("node:process")).default.stdout.write("\\0\\0\\0\\x02[]"); await new Promise(() => {});`;
  assert.equal(await run(server, bad), "The script wrote a message of no known kind");
  const [granted, fetch, worker, process, ...rest] = JSON.parse(await run(server, code));
  assert.deepStrictEqual([granted, fetch, worker, process], [[], "undefined", "undefined", "undefined"]);
  for (const refusal of rest.slice(0, 7)) assert.match(refusal, /^Requires (?:read|write|env|run|net|import) access/);
  assert.match(rest[7], /module\.js/);
  assert.doesNotMatch(rest[7], /forged\.txt/);
}

Deno.test("K11 --code-mode read: scripts call read-only tools, never themselves, and reach nothing else", async (t) => {
  using bench = new Workbench();
  await using server = await start(bench, "--code-mode", "read");
  await t.step(
    "one more tool is listed beside the lean pair, and find_tools shows types",
    () => listsOneMoreTool(server),
  );
  await t.step("only read-only tools are called", () => callsReadOnlyTools(server));
  await t.step(
    "one script does the work of 50 calls, in TypeScript, with fewer bytes for the client",
    () => doesTheWorkOf50Calls(bench, server),
  );
  await t.step(
    "no file, network, process, variable or module is reached, and forged messages gain nothing",
    () => hasNoWayOut(bench, server),
  );
});

async function keepsToLimits(server: ServerProcess): Promise<void> {
  const flood = "for (;;) Deno.stderr.writeSync(new Uint8Array(65536).fill(10));";
  assert.equal(await run(server, flood), "The process of the script is gone: It was ended by SIGXFSZ.");
  const many = "let last; for (let n = 0; n < 201; n++) last = await tools.status(); return last.text;";
  assert.equal(await run(server, many), '"A script makes at most 200 calls: return what is done"');
  assert.match(await run(server, 'for (;;) console.log("")'), /The script wrote more than 50000 lines$/);
  assert.equal(
    await run(server, "return 'a'.repeat(300_000)"),
    "A message of 300029 bytes is too long: it may have 262144",
  );
  const imported = await run(server, "import fs from 'node:fs'; return 1");
  const why = "Cannot use import statement outside a module";
  assert.equal(imported, `Syntax error in the script; read as JavaScript: ${why}`);
}

async function cancellingEndsItsCalls(bench: Workbench, server: ServerProcess): Promise<void> {
  const waiting = 'await tools.sandboxed_shell({ command: "touch begun.txt; exec sleep 300.25" })';
  const params = { name: "run_script", arguments: { code: waiting } };
  await server.send({ jsonrpc: "2.0", id: "script", method: "tools/call", params });
  await bench.appears("begun.txt");
  await server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "script" } });
  await bench.processesGone("sleep 300.25");
}

Deno.test("K11 --code-mode all: scripts call every tool but themselves, and end at their limits, and the server lives", async (t) => {
  using bench = new Workbench();
  await using server = await start(bench, "--code-mode", "all");
  const [written, shell, itself, , , failed] = JSON.parse(await run(server, FORBIDDEN));
  assert.match(shell, /uid=/);
  assert.deepStrictEqual([itself, failed], ['Unknown tool "run_script"', false], written);
  await t.step("a cancelled script ends its calls", () => cancellingEndsItsCalls(bench, server));
  await t.step("a script beyond a limit ends", () => keepsToLimits(server));
});

Deno.test("K11 loops without an end are ended at the time limit, and the server lives", async () => {
  using bench = new Workbench();
  await using server = await start(bench, "--code-mode", "all", "--timeout", "3");
  const late = "Ended after its time limit of 3 s";
  // Most of the time before a loop passes without work for the processor.
  const loop = (code: string) => `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2600); ${code}`;
  const waits = run(server, "console.log('waits'); await new Promise(() => {});");
  assert.deepStrictEqual(await Promise.all([run(server, loop("for (;;);")), waits]), [late, `waits\n${late}`]);
  assert.equal(await run(server, "return 1"), "1");
});
