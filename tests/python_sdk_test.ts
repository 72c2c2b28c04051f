/** Sessions of the official Python SDK, 1.x and 2.x from PyPI, over stdio and HTTP: none ends in an exception. */
import assert from "node:assert/strict";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { programStart } from "./_support/program.ts";
import { type PythonPackage, pythonPackage } from "./_support/packages/python_packages.ts";
import { Workbench } from "./_support/workbench.ts";

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

for (const sdk of await Promise.all(["1.30.0", "2.3.0"].map((version) => pythonPackage("mcp", version)))) {
  // In CI what is missing is a failure.
  const ignore = sdk.problem !== undefined && Deno.env.get("CI") !== "true";
  const reason = ignore ? ` (ignored: it cannot be installed: ${sdk.problem})` : "";

  const isNewer = sdk.version.startsWith("2");
  Deno.test({
    name:
      `X14 X1 H1 K2 K3 K6 K7 sessions of the Python SDK ${sdk.version} over stdio${
        isNewer ? ", with native tools," : ""
      } ` +
      `and HTTP end without an exception${reason}`,
    ignore,
    // One start of Python for all: its imports take longer than the sessions.
    fn: async () => {
      assert.strictEqual(sdk.problem, undefined);
      using bench = new Workbench(isNewer ? "ordinary" : undefined);
      using shared = new Workbench();
      const { command, args, environment } = programStart(bench, isNewer ? ["--bundles", "toolbox"] : []);
      const calls = isNewer ? { calls: NATIVE_CALLS.map(([call]) => call) } : {};
      await using server = await HttpServerProcess.start(shared);
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
      // The second signal, at the end, does not wait for what runs on.
      server.kill("SIGINT");
    },
  });
}
