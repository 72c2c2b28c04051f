/** The reference client of the protocol's makers over HTTP, with roots as people configure them, and over stdio. */
import assert from "node:assert/strict";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { inspect, shell } from "./_support/clients/inspector.ts";
import { programStart } from "./_support/program.ts";
import { sharing } from "./_support/sharing.ts";
import { Workbench } from "./_support/workbench.ts";

// In the modern era this inspector never ends when a server can tell of changed tools, the SDK's own bare one included.
const test = sharing((bench) => HttpServerProcess.start(bench, { flags: ["--no-hot-reload"] }));
const testIsolated = sharing((bench) =>
  HttpServerProcess.start(bench, { flags: ["--session-isolation", "--max-sessions", "1"] })
);

// Over stdio it lists in the modern era and calls in the legacy one.
test("C1 H4 the inspector lists tools over HTTP in the legacy era", async ({ bench, server }) => {
  const words = [server.url, "--transport", "http", "--protocol-era", "legacy", "--method", "tools/list", "--strict"];
  const listed = await inspect(bench, words);
  assert.equal(listed.code, 0, listed.text);
  assert.match(listed.text, /"sandboxed_shell"/);
});

test("C1 H4 the inspector calls tools over HTTP in the modern era", async ({ bench, server }) => {
  const words = [server.url, "--transport", "http", "--protocol-era", "modern", ...shell("echo seen by $((40 + 2))")];
  const called = await inspect(bench, words);
  assert.equal(called.code, 0, called.text);
  assert.match(called.text, /seen by 42/);
});

testIsolated("H3 C1 an inspector with a root of its own writes there, and nowhere else", async ({ bench, server }) => {
  const [root = "", other] = ["one", "two"].map((name) => bench.write(`${name}/.keep`, "").replace("/.keep", ""));
  const entry = { type: "streamable-http", url: server.url, roots: [{ uri: `file://${root}`, name: "root" }] };
  const config = bench.write(`${bench.elsewhere}/servers.json`, JSON.stringify({ mcpServers: { client: entry } }));
  const words = ["--config", config, "--server", "client", "--protocol-era", "auto"];
  const { code, text } = await inspect(bench, [...words, ...shell(`echo 1 > file; cat file; ls ${other} 2>&1; true`)]);
  assert.equal(code, 0, text);
  assert.match(text, /No such file or directory|Permission denied/);
  assert.equal(await Deno.readTextFile(`${root}/file`), "1\n");
});

function ours(bench: Workbench, era: string): readonly string[] {
  const { command, args } = programStart(bench, []);
  return [command, ...args, "--protocol-era", era];
}

Deno.test("C1 the inspector lists the tools over stdio in the modern era", async () => {
  using bench = new Workbench();
  const { code, text } = await inspect(bench, [...ours(bench, "modern"), "--method", "tools/list", "--strict"]);
  assert.equal(code, 0, text);
  for (const tool of ["sandboxed_shell", "status", "await", "cancel"]) {
    assert.match(text, new RegExp(`"name":\\s*"${tool}"`));
  }
});

Deno.test("C1 X3 the inspector calls tools over stdio in the legacy era", async () => {
  using bench = new Workbench();
  const good = await inspect(bench, [
    ...ours(bench, "legacy"),
    ...shell("echo seen by $((40 + 2)) > file; cat file"),
  ]);
  assert.equal(good.code, 0, good.text);
  assert.match(good.text, /seen by 42/);
  assert.equal(await Deno.readTextFile(`${bench.scope}/file`), "seen by 42\n");
});
