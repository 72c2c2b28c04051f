/** The reference client of the protocol's makers, over HTTP, with roots as people configure them. */
import assert from "node:assert/strict";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { inspect, shell } from "./_support/clients/inspector.ts";
import { sharing } from "./_support/sharing.ts";

// In the modern era this inspector never ends when a server can tell of changed tools, the SDK's own bare one included.
const test = sharing((bench) => HttpServerProcess.start(bench, { flags: ["--no-hot-reload"] }));
const testIsolated = sharing((bench) =>
  HttpServerProcess.start(bench, { flags: ["--session-isolation", "--max-sessions", "2"] })
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

testIsolated(
  "H3 C1 two inspectors with roots of their own write the same relative file: each lands in its own",
  async ({ bench, server }) => {
    const roots = ["one", "two"].map((name) => bench.write(`${name}/.keep`, "").replace("/.keep", ""));
    const mcpServers = Object.fromEntries(roots.map((root, index) => [
      `client${index}`,
      { type: "streamable-http", url: server.url, roots: [{ uri: `file://${root}`, name: "root" }] },
    ]));
    const config = bench.write(`${bench.elsewhere}/servers.json`, JSON.stringify({ mcpServers }));
    const seen = await Promise.all(roots.map((root, index) => {
      const command = `echo ${index} > file; cat file; ls ${roots.find((other) => other !== root)} 2>&1; true`;
      const words = ["--config", config, "--server", `client${index}`, "--protocol-era", "auto"];
      return inspect(bench, [...words, ...shell(command)]);
    }));
    for (const [index, { code, text }] of seen.entries()) {
      assert.equal(code, 0, text);
      assert.match(text, /No such file or directory|Permission denied/);
      assert.equal(await Deno.readTextFile(`${roots[index]}/file`), `${index}\n`);
    }
  },
);
