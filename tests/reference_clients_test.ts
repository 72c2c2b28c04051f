/**
 * Reference clients: the inspector of the protocol's makers over HTTP, with roots as people configure them, and over
 * stdio; and sessions of the official Python SDK, 1.x and 2.x from PyPI, of which none ends in an exception.
 */
import assert from "node:assert/strict";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { inspect, shell } from "./_support/clients/inspector.ts";
import {
  fastmcpWithSdk,
  KEEPS_COMPILED,
  type PythonPackage,
  pythonPackage,
} from "./_support/packages/python_packages.ts";
import { programStart } from "./_support/program.ts";
import { sharing } from "./_support/sharing.ts";
import { Workbench } from "./_support/workbench.ts";

// In the modern era this inspector never ends when a server can tell of changed tools, the SDK's own bare one included.
const test = sharing(async (bench) => {
  const server = await HttpServerProcess.start(bench, { flags: ["--no-hot-reload"] });
  const end = () => {
    // The second signal, when it is disposed of, does not wait for what runs on.
    server.kill("SIGINT");
    return server[Symbol.asyncDispose]();
  };
  return { url: server.url, [Symbol.asyncDispose]: end };
});
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

const SCRIPT = new URL("fixtures/python_session.py", import.meta.url).pathname;
/** Over HTTP, at the same time as one over stdio, which calls native tools by the newer SDK. */
const SESSIONS = 2;

interface Told {
  readonly tools: readonly string[];
  readonly texts: readonly string[];
}

/** A session with each server, all at the same time; @throws Error with what Python wrote when one failed. */
async function sessions({ python }: PythonPackage, servers: readonly object[]): Promise<readonly Told[]> {
  const { success, stdout, stderr } = await new Deno.Command(python, {
    args: [SCRIPT, JSON.stringify(servers)],
    env: KEEPS_COMPILED,
    stdin: "null",
    signal: AbortSignal.timeout(600_000),
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(decoder.decode(stderr).slice(-4000));
  return JSON.parse(decoder.decode(stdout));
}

/** Times named; the line that closes a success of a busy machine left out. */
function steady({ tools, texts }: Told): Told {
  return {
    tools,
    texts: texts.map((text) => text.replace(/\[exit code 0, .*\]$/, "").replace(/[\d.]+ m?s\]$/, "TIME]")),
  };
}

const EXPECTED: Told = {
  tools: ["await", "cancel", "sandboxed_shell", "send", "status"],
  texts: ["hi\n", "no\n[exit code 3, TIME]"],
};

/** Calls of native tools, each with its answer. */
const NATIVE_CALLS: readonly (readonly [call: readonly [name: string, args: object], text: string])[] = [
  [["files_write", { path: "a.txt", content: "one\ntwo\n" }], "a.txt: created with 2 lines, 8 bytes, rev REV"],
  [
    ["files_edit", { file_path: "a.txt", old_string: "two", new_string: "three" }],
    "a.txt: 1 replacement (+1 -1), rev REV\n@@ -1,2 +1,2 @@\n one\n-two\n+three",
  ],
  [["files_read", { path: "a.txt" }], "a.txt: 2 lines, 10 bytes, rev REV\n1\tone\n2\tthree"],
  [["files_grep", { pattern: "thr" }], "a.txt:2:three"],
  [
    ["files_read", { path: "/etc/passwd" }],
    'Cannot use path "/etc/passwd": it is outside the scope "SCOPE"; give a path inside it',
  ],
  [["issue_create", { name: "first", content: "Do it." }], "Created issue first: .ahma/issues/first.md, rev REV"],
  [
    ["flow", { flow_name: "list" }],
    "There is no flow. Flows are Markdown files in HOME/.config/ahma/flows or .ahma/flows.",
  ],
];

for (const sdk of await Promise.all([pythonPackage("mcp", "1.30.0"), fastmcpWithSdk()])) {
  // In CI what is missing is a failure.
  const ignore = sdk.problem !== undefined && Deno.env.get("CI") !== "true";
  const reason = ignore ? ` (ignored: it cannot be installed: ${sdk.problem})` : "";

  const isNewer = sdk.version.startsWith("2");
  test(
    `X14 X1 H1 K2 K3 K6 K7 sessions of the Python SDK ${sdk.version} over stdio${
      isNewer ? ", with native tools," : ""
    } ` +
      `and HTTP end without an exception${reason}`,
    // One start of Python for all: its imports take longer than the sessions.
    async ({ server }) => {
      assert.strictEqual(sdk.problem, undefined);
      using bench = new Workbench(isNewer ? "ordinary" : undefined);
      const { command, args, environment } = programStart(bench, isNewer ? ["--bundles", "toolbox"] : []);
      const calls = isNewer ? { calls: NATIVE_CALLS.map(([call]) => call) } : {};
      const [overStdio, ...overHttp] = await sessions(sdk, [
        { command, args, env: environment, cwd: bench.scope, ...calls },
        ...Array.from({ length: SESSIONS }, () => ({ url: server.url })),
      ]);
      assert.deepStrictEqual(overHttp.map(steady), Array(SESSIONS).fill(EXPECTED));
      if (isNewer) {
        const texts = overStdio?.texts.map((text) => text.replaceAll(/\b[0-9a-f]{12}\b/g, "REV"));
        const expected = NATIVE_CALLS.map(([, text]) => text.replace("SCOPE", bench.scope).replace("HOME", bench.home));
        assert.deepStrictEqual(texts, expected);
      } else assert.deepStrictEqual(overStdio === undefined ? undefined : steady(overStdio), EXPECTED);
      await bench.processesGone("sleep 300");
    },
    { ignore },
  );
}
