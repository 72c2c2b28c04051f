import assert from "node:assert/strict";
import { DEFAULT_CONFINEMENT } from "../sandbox/policy/confinement.ts";
import { parseCommandLine } from "./flags/parse_command_line.ts";
import { type FlagSources, flagValues } from "./flags/flag_values.ts";
import { confinementFrom, readInvocation } from "./settings.ts";

/** The invocation, or the problem as a string. */
function invocation(
  words: readonly string[],
  environment: Record<string, string> = {},
  files: FlagSources["files"] = [],
): unknown {
  const line = parseCommandLine(words);
  const result = line.ok ? readInvocation(line.value, { environment, cores: 2, files }) : line;
  if (!result.ok) return result.problem;
  if (result.value.kind !== "run") return result.value;
  return (({ subcommand, settings, warnings }) => ({ subcommand, settings, warnings }))(result.value);
}

const DEFAULTS = {
  toolsDirectory: undefined,
  bundles: [],
  mcpConfigs: [],
  searchUrl: undefined,
  secrets: { bindings: [], files: new Map(), commands: new Map() },
  sshAgent: { keys: [], hosts: [] },
  privateHosts: [],
  directories: { issues: undefined, memos: undefined, flows: undefined, rules: undefined },
  prompts: { offered: true, shipped: false, directory: undefined, userDirectory: undefined, environmentNames: [] },
  skills: { offered: true, shipped: false },
  sandbox: {
    enforce: true,
    scopes: [],
    allowBroad: false,
    reads: [],
    writes: [],
    protect: [],
    allowProtected: [],
    allowSensitive: [],
    strict: false,
    privateHome: false,
    requiredLayers: [],
    gpus: [],
    environmentNames: [],
    temporaryFiles: true,
    requireAbi: 1,
    confinement: DEFAULT_CONFINEMENT,
  },
  synchronous: false,
  timeoutSeconds: 360,
  longTimeoutSeconds: 7200,
  maxConcurrency: 8,
  inlineWaitMs: 3000,
  toolPrefix: "",
  toolStyle: "leaf",
  lean: { servers: false, toolFiles: false },
  codeMode: undefined,
  maxInlineBytes: 10240,
  keepAnsi: false,
  keptOperations: 1000,
  maxSpilledBytes: 512 * 1024 * 1024,
  pushResults: false,
  exitErrors: false,
  shell: undefined,
  shellIdleMs: 7_200_000,
  pool: true,
  reuse: true,
  fork: true,
  published: [],
  asks: [],
  undo: { isOn: false, ignoredBytes: 64 * 1024 ** 2 },
  preview: { isOn: false, mostBytes: 4 * 1024 ** 3 },
  auditLog: undefined,
  otlp: undefined,
  logToStderr: false,
  debug: false,
  hotReload: true,
  http: undefined,
};

const HTTP_DEFAULTS = {
  host: "127.0.0.1",
  port: 3000,
  sessionIsolation: false,
  handshakeTimeoutMs: 45_000,
  requireToken: false,
  dashboard: false,
  allowedHosts: [],
  allowedOrigins: [],
  maxSessions: 64,
  sessionIdleMs: 1_800_000,
  serverCommand: undefined,
  openServer: false,
  requestTimeoutMs: 60_000,
};
function serve(changes: Partial<typeof DEFAULTS> | Record<string, unknown>, warnings: string[] = []): unknown {
  return { subcommand: "serve", settings: { ...DEFAULTS, ...changes }, warnings };
}

Deno.test("L1 readInvocation() gives the defaults when nothing is said", () => {
  assert.deepStrictEqual(invocation([]), serve({}));
});

Deno.test("S35 readInvocation() takes the kinds that are asked for, in their order, where they can be asked for", () => {
  const words = ["--ask", "network,read", "--ask", "read", "--network", "one.test:443"];
  assert.deepStrictEqual(
    invocation(words),
    serve({
      asks: ["read", "network"],
      sandbox: {
        ...DEFAULTS.sandbox,
        confinement: {
          ...DEFAULTS.sandbox.confinement,
          network: "names",
          names: [{ name: "one.test", kind: "name", port: 443, anyProtocol: false }],
          asks: true,
        },
      },
    }),
  );
});

Deno.test("L1 readInvocation() turns every flag into its setting", () => {
  const words =
    "--mode stdio --tools-dir t --bundles git,npm --mcp-config m --mcp-config n --search-url http://s --allow-private-hosts h --sandbox-scope a --sandbox-scope b --allow-broad-scope --read r --write w --gpu 0,renderD129 --gpu all --env TERM --private-home --no-temp-files --require-abi 4 --no-sandbox --sync --timeout 1.5 --max-concurrency 3 --inline-wait 200 --max-inline-output 4096 --keep-ansi --shell /bin/sh --shell-idle 9 --no-pool --no-reuse --shell-fork off --log-to-stderr --debug " +
    "--no-hot-reload --code-mode all --undo --undo-ignored 1M --preview --preview-most 2M --audit-log f --otlp http://c:4318 --network localhost --publish 80,8080:81 --publish 82 --unix-sockets allow --limit-file-size 2g --limit-processes 64 " +
    "--limit-open-files none --limit-memory 512M --limit-cpu 30 --limit-memory-total 4G --limit-tasks 63 --protect p --protect q --allow-protected .git/config --allow-read-sensitive n --strict --require-layer namespaces --prompts --no-prompts --skills --no-skills --prompts-dir pd --user-prompts-dir ud --prompt-env LANG --issues-dir i --memos-dir m --flows-dir f --rules-dir u --keep-results 50 --max-spilled-output 0 --push-results --exit-errors";
  assert.deepStrictEqual(
    invocation(words.split(" ")),
    serve({
      toolsDirectory: "t",
      bundles: ["git", "npm"],
      mcpConfigs: ["m", "n"],
      searchUrl: "http://s",
      privateHosts: ["h"],
      directories: { issues: "i", memos: "m", flows: "f", rules: "u" },
      lean: { servers: true, toolFiles: true },
      codeMode: "all",
      prompts: { offered: false, shipped: true, directory: "pd", userDirectory: "ud", environmentNames: ["LANG"] },
      skills: { offered: false, shipped: true },
      sandbox: {
        scopes: ["a", "b"],
        allowBroad: true,
        reads: ["r"],
        writes: ["w"],
        protect: ["p", "q"],
        allowProtected: [".git/config"],
        allowSensitive: ["n"],
        strict: true,
        privateHome: false, // for --no-sandbox
        requiredLayers: ["namespaces"],
        gpus: ["0", "renderD129", "all"],
        environmentNames: ["TERM"],
        temporaryFiles: false,
        requireAbi: 4,
        enforce: false,
        confinement: {
          network: "localhost",
          names: [],
          privateHosts: ["h"],
          sharesLoopback: true,
          unixSockets: "allow",
          limits: { fileSize: 2 ** 31, processes: 63, openFiles: undefined, memory: 2 ** 29, cpuSeconds: 30 },
          totals: { memory: 4 * 1024 ** 3, tasks: 63 },
        },
      },
      published: [{ port: 80, inside: 80 }, { port: 8080, inside: 81 }, { port: 82, inside: 82 }],
      synchronous: true,
      timeoutSeconds: 1.5,
      longTimeoutSeconds: 1.5,
      maxConcurrency: 3,
      inlineWaitMs: 200,
      maxInlineBytes: 4096,
      keepAnsi: true,
      keptOperations: 50,
      maxSpilledBytes: 0,
      pushResults: true,
      exitErrors: true,
      shell: "/bin/sh",
      shellIdleMs: 9000,
      pool: false,
      reuse: false,
      fork: false,
      undo: { isOn: true, ignoredBytes: 1024 ** 2 },
      preview: { isOn: true, mostBytes: 2 * 1024 ** 2 },
      auditLog: "f",
      otlp: "http://c:4318",
      logToStderr: true,
      debug: true,
      hotReload: false,
    }),
  );
});

Deno.test("S1 readInvocation() reads the scope from AHMA_SANDBOX_SCOPE, a list, unless the flag is given", () => {
  const environment = { AHMA_SANDBOX_SCOPE: "/a:/b" };
  assert.deepStrictEqual(
    invocation([], environment),
    serve({ sandbox: { ...DEFAULTS.sandbox, scopes: ["/a", "/b"] } }),
  );
  assert.deepStrictEqual(
    invocation(["--sandbox-scope", "/c"], environment),
    serve({ sandbox: { ...DEFAULTS.sandbox, scopes: ["/c"] } }),
  );
});

Deno.test("S1 readInvocation() refuses an empty scope instead of falling back to the working directory", () => {
  const problem = 'Cannot use variable "AHMA_SANDBOX_SCOPE": the value is empty';
  assert.strictEqual(invocation([], { AHMA_SANDBOX_SCOPE: "" }), problem);
  assert.strictEqual(invocation([], { AHMA_SANDBOX_SCOPE: "/a:" }), problem);
  assert.strictEqual(invocation(["--sandbox-scope="]), 'Cannot use flag "--sandbox-scope": the value is empty');
});

Deno.test("S30 readInvocation() refuses an empty list of hosts instead of opening the network", () => {
  const refused = (text: string) => String(invocation([], { AHMA_NETWORK: text }));
  assert.match(refused(""), /^Cannot use variable "AHMA_NETWORK": the value is empty/);
  assert.match(refused(" "), /^Cannot use variable "AHMA_NETWORK": an entry is empty/);
});

Deno.test("readInvocation() reads the other variables, and an empty one means nothing", () => {
  const environment = { AHMA_TIMEOUT: "7", AHMA_SYNC: "true", AHMA_ENV: "A,B", AHMA_TOOLS_DIR: "", AHMA_DENO: "/x" };
  assert.deepStrictEqual(
    invocation([], environment),
    serve({
      timeoutSeconds: 7,
      longTimeoutSeconds: 7,
      synchronous: true,
      sandbox: { ...DEFAULTS.sandbox, environmentNames: ["A", "B"] },
    }),
  );
});

Deno.test("S14 readInvocation() turns the sandbox off by AHMA_NO_SANDBOX=1 and by nothing vaguer", () => {
  const off = serve({ sandbox: { ...DEFAULTS.sandbox, enforce: false } });
  assert.deepStrictEqual(invocation([], { AHMA_NO_SANDBOX: "1" }), off);
  assert.deepStrictEqual(invocation([], { AHMA_NO_SANDBOX: "0" }), serve({}));
  assert.deepStrictEqual(invocation([], { AHMA_NO_SANDBOX: "" }), serve({}));
  assert.strictEqual(
    invocation([], { AHMA_NO_SANDBOX: "maybe" }),
    'Cannot use variable "AHMA_NO_SANDBOX": "maybe" is neither "1" nor "0"',
  );
});

Deno.test("H1 H10 readInvocation() turns every flag of HTTP into its setting, and only with --mode http", () => {
  assert.deepStrictEqual(invocation(["--mode", "http"]), serve({ http: HTTP_DEFAULTS }));
  assert.deepStrictEqual(invocation(["--http-port", "4000"]), serve({}));
  const words = "--mode http --http-host ::1 --http-port 0 --session-isolation --handshake-timeout 2 --require-token " +
    "--allow-host a:1 --allow-host b --allow-origin http://c --max-sessions 3 --session-idle 9 --server-command npx " +
    "--server-args=-y --server-args pkg --no-sandbox-server --request-timeout 0 --dashboard";
  assert.deepStrictEqual(
    invocation(words.split(" ")),
    serve({
      http: {
        host: "::1",
        port: 0,
        sessionIsolation: true,
        handshakeTimeoutMs: 2_000,
        requireToken: true,
        dashboard: true,
        allowedHosts: ["a:1", "b"],
        allowedOrigins: ["http://c"],
        maxSessions: 3,
        sessionIdleMs: 9_000,
        serverCommand: ["npx", "-y", "pkg"],
        openServer: true,
        requestTimeoutMs: undefined,
      },
    }),
  );
});

Deno.test("L1 readInvocation() refuses values the table does not allow", () => {
  const refused = (flag: string, value: string) => invocation([`--${flag}=${value}`]);
  assert.strictEqual(
    refused("mode", "tcp"),
    'Cannot use flag "--mode": "tcp" is not supported, expected "stdio" or "http" or "list-tools"',
  );
  assert.strictEqual(
    refused("timeout", "soon"),
    'Cannot use flag "--timeout": "soon" is not a number from 0.001 to 2147483',
  );
  for (const value of ["0", "-1", "1e3", "Infinity", "0x10", " 5"]) {
    assert.strictEqual(
      refused("max-concurrency", value),
      `Cannot use flag "--max-concurrency": "${value}" is not a whole number from 1 to 10000`,
    );
  }
  assert.strictEqual(refused("env", "A=B"), 'Cannot use flag "--env": "A=B" is not the name of a variable');
  assert.strictEqual(refused("read", "a\0b"), 'Cannot use flag "--read": the value holds a NUL character');
  assert.strictEqual(
    invocation([], { AHMA_TIMEOUT: "x" }),
    'Cannot use variable "AHMA_TIMEOUT": "x" is not a number from 0.001 to 2147483',
  );
});

Deno.test("S9 readInvocation() refuses to pass the program's own variables on", () => {
  assert.strictEqual(
    invocation(["--env", "AHMA_SYNC"]),
    'Cannot pass on variable "AHMA_SYNC": the variables of this program never reach a command',
  );
});

Deno.test("readInvocation() warns of a variable it does not know", () => {
  assert.deepStrictEqual(
    invocation([], { AHMA_SANDBOX_SCOP: "/a", AHMA_INSTANCE: "told by our HTTP server", OTHER: "x" }),
    serve({}, ['Variable "AHMA_SANDBOX_SCOP" is ignored: did you mean "AHMA_SANDBOX_SCOPE"?']),
  );
});

Deno.test("readInvocation() prefers help, then the version, to everything else", () => {
  assert.deepStrictEqual(invocation(["--version", "--timeout", "x", "--help"]), {
    kind: "help",
    subcommand: undefined,
  });
  assert.deepStrictEqual(invocation(["--version", "--timeout", "x"]), { kind: "version" });
});

Deno.test("L7 readInvocation() takes flags, then variables, then the files in their order", () => {
  const given = (value: string | undefined) => ({
    source: "a file",
    values: value === undefined ? undefined : [value],
  });
  const project = new Map([["timeout", given("1")]] as const);
  const user = new Map([["timeout", given("2")], ["shell", given("/bin/zsh")]] as const);
  const files = [project, user];
  assert.deepStrictEqual(
    invocation([], {}, files),
    serve({ timeoutSeconds: 1, longTimeoutSeconds: 1, shell: "/bin/zsh" }),
  );
  const environment = { AHMA_TIMEOUT: "3" };
  assert.deepStrictEqual(
    invocation([], environment, files),
    serve({ timeoutSeconds: 3, longTimeoutSeconds: 3, shell: "/bin/zsh" }),
  );
  assert.deepStrictEqual(
    invocation(["--timeout", "4"], environment, files),
    serve({ timeoutSeconds: 4, longTimeoutSeconds: 4, shell: "/bin/zsh" }),
  );
});

Deno.test("L7 readInvocation() lets a nearer source switch off what a farther one switches on", () => {
  const on = new Map([["sync", { source: "a file", values: [] }]] as const);
  const off = new Map([["sync", { source: "a file", values: undefined }]] as const);
  assert.deepStrictEqual(invocation([], {}, [on]), serve({ synchronous: true }));
  assert.deepStrictEqual(invocation([], {}, [off, on]), serve({}));
  assert.deepStrictEqual(invocation([], { AHMA_SYNC: "0" }, [on]), serve({}));
});

Deno.test("L1 readInvocation() knows what a mode, a subcommand and a word after help ask for", () => {
  const listing = { subcommand: "list-tools", settings: DEFAULTS, warnings: [] };
  assert.deepStrictEqual(invocation(["--mode", "list-tools"]), listing);
  assert.deepStrictEqual(invocation(["serve", "--mode", "list-tools"]), listing);
  assert.deepStrictEqual(invocation([], { AHMA_MODE: "list-tools" }), listing);
  assert.deepStrictEqual(invocation(["call", "--help"]), { kind: "help", subcommand: "call" });
  assert.deepStrictEqual(invocation(["help", "call"]), { kind: "help", subcommand: "call" });
  assert.deepStrictEqual(invocation(["help"]), { kind: "help", subcommand: undefined });
  assert.strictEqual(
    invocation(["help", "cal"]),
    'Cannot explain "cal": expected one of serve, list-tools, validate, schema, call, attach, ps, logs, kill, audit, dashboard, doctor, check-access, init, uninstall, migrate, accept, undo, cache, grants, auth, ' +
      "servers, prompts, rules, completions, version, help; " +
      'did you mean "call"?',
  );
});

Deno.test("S6 S10 readInvocation() refuses limits and networks that say nothing", () => {
  const problems = ["--limit-memory 1K", "--limit-cpu 0", "--limit-processes many", "--network lan"];
  assert.deepStrictEqual(problems.map((words) => invocation(words.split(" "))), [
    'Cannot use flag "--limit-memory": "1K" is neither "none" nor a whole number from 16777216 to 9007199254740991 ' +
    "(K, M, G and T may follow it)",
    'Cannot use flag "--limit-cpu": "0" is neither "none" nor a whole number from 1 to 1000000000 (K, M, G and T may ' +
    "follow it)",
    'Cannot use flag "--limit-processes": "many" is neither "none" nor a whole number from 8 to 4000000 (K, M, G and T ' +
    "may follow it)",
    'Cannot use flag "--network": "lan" is neither the full name of a host nor a list that is shipped. ' +
    'Write "full", "localhost", "none", or hosts such as "packages,github.com,*.example.org"',
  ]);
});
Deno.test("L1 S30 readInvocation() adds up lists of hosts, and refuses a word next to one", () => {
  const names = (...words: readonly string[]) => invocation(words.flatMap((word) => ["--network", word]));
  const whole = names("packages,git-hosts,a.test:80");
  assert.notDeepStrictEqual(whole, names("packages"));
  assert.deepStrictEqual(names("packages", "git-hosts,a.test:80"), whole);
  assert.deepStrictEqual(names("packages", "packages"), names("packages"));
  assert.deepStrictEqual(names("none", "none"), names("none"));
  for (const words of [["none", "a.test"], ["a.test", "b.test", "none"]]) {
    assert.strictEqual(
      names(...words),
      'Cannot use flag "--network": "none" cannot be combined with "a.test": only lists can be combined',
    );
  }
  assert.match(String(names("full", "localhost")), /"full" cannot be combined with "localhost"/);
  // A number belongs to the entry before it in its own list only.
  assert.match(String(names("a.test:80", "8080")), /"8080" is an address that is written "0\.0\.31\.144"/);
});

Deno.test("S6 S10 confinementFrom() gives the sandbox's own defaults where nothing is said", () => {
  const values = flagValues({ typed: new Map(), environment: {}, files: [] });
  assert.ok(values.ok);
  assert.deepStrictEqual(confinementFrom(values.value), DEFAULT_CONFINEMENT);
});
