/** `servers test`: each server is started or connected in its sandbox as real use does it, and says what it has. */
import assert from "node:assert/strict";
import { answerMcp } from "./_support/login/oauth_server.ts";
import { testRuntime } from "./_support/runtime.ts";
import { type Ran, runProgram } from "./_support/terminal.ts";
import { upstreamServer, writeServers } from "./_support/servers/upstream.ts";
import { Workbench } from "./_support/workbench.ts";

interface Tried {
  readonly servers: readonly { readonly name: string; readonly milliseconds: number; readonly problem?: string }[];
}

/** Without what another run has otherwise, and without the servers that lack something. */
function steady({ stdout }: Ran, lacking: object): readonly object[] {
  const { servers }: Tried = JSON.parse(stdout);
  return servers.filter(({ name }) => !(name in lacking))
    .map(({ milliseconds, ...one }) => ({ ...one, timed: Number.isInteger(milliseconds) }));
}

/** Servers that need a Unix socket, with it and without it, and one that asks for credentials. */
function lackingServers(bench: Workbench): Readonly<Record<string, object>> {
  const script = "import os, socket, sys; " +
    "socket.socket(socket.AF_UNIX).bind(os.environ['TMPDIR'] + '/' + os.urandom(4).hex()); sys.exit('it has a socket')";
  const own = { command: "python3", args: ["-c", script] };
  bench.write(`${bench.home}/.ssh/id_rsa`, "");
  return {
    socketless: { ...own, unixSockets: "deny" },
    allowed: { ...own, unixSockets: "allow" },
    elsewhere: { ...own, cwd: bench.elsewhere },
    keys: { ...own, read: ["~/.ssh"] },
  };
}

/** A server is told the field that allows it a socket, and has one with it. */
function sayWhatTheyLack({ stdout }: Ran, { home }: Workbench, lacking: object): void {
  const { servers }: Tried = JSON.parse(stdout);
  const problems = servers.filter(({ name }) => name in lacking).map(({ problem }) => problem?.split("\n").at(-1));
  assert.deepStrictEqual(problems, [
    'Server "socketless" may not use such a Unix socket. A person can allow it: "unixSockets": "allow" in the ' +
    'entry of "socketless".',
    "it has a socket",
    "it has a socket",
    `Cannot open "${home}/.ssh" to the server: "${home}/.ssh" is a place of credentials. ` +
    'Give the server the value in "env", or name a copy elsewhere',
  ]);
}

Deno.test("O6 O7 O5 S7 S15 servers test says what works and what each other needs, tells no key, asks no person, and ends with 1 for a failure; credentials are given to none", async () => {
  using bench = new Workbench();
  let logins = 0;
  await using far = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/open") return request.method === "POST" ? answerMcp(await request.json()) : refused(405);
    if (pathname !== "/closed") logins += pathname.includes("authorize") || pathname.includes("register") ? 1 : 0;
    return refused(pathname === "/closed" ? 401 : 404);
  });
  const origin = `http://127.0.0.1:${far.addr.port}`;
  const lacking = lackingServers(bench);
  const flags = [
    "--mcp-config",
    writeServers(bench, {
      ...lacking,
      srv: upstreamServer(bench),
      open: { url: `${origin}/open` },
      closed: { url: `${origin}/closed` },
      missing: { command: "no-such-program-here" },
      fails: { command: "sh", args: ["-c", "echo it is broken >&2; exit 7"] },
      off: { command: "sh", disabled: true },
      unset: { command: "sh", env: { K: "${env:NOPE}" } },
      gone: { url: `http://127.0.0.1:${closedPort()}/mcp?key=hush` },
    }),
  ];
  // The script grants the network; the executable has it.
  const script = testRuntime(bench.user).executable === undefined;
  const test = (...words: readonly string[]) => runProgram(bench, ["servers", "test", ...words], { script });
  const all = await test("--json", ...flags);
  sayWhatTheyLack(all, bench, lacking);
  assert.deepStrictEqual([all.code, steady(all, lacking)], [1, [
    {
      name: "srv",
      state: "ready",
      protocol: "2025-11-25",
      tools: 10,
      resources: 0,
      prompts: 0,
      changed: [],
      timed: true,
    },
    {
      name: "open",
      state: "ready",
      protocol: "2025-11-25",
      tools: 1,
      resources: 0,
      prompts: 0,
      changed: [],
      timed: true,
    },
    {
      name: "closed",
      state: "failed",
      timed: true,
      problem: `"${origin}/closed" needs a login. Run: ahma_mcp auth login closed ${flags.join(" ")}`,
    },
    {
      name: "missing",
      state: "failed",
      timed: true,
      problem:
        'Cannot start "no-such-program-here": no such program on the PATH of commands. Install it, or give its ' +
        "path inside the scope",
    },
    {
      name: "fails",
      state: "failed",
      timed: true,
      problem: "It ended with exit code 7.\nit is broken",
    },
    {
      name: "gone",
      state: "failed",
      timed: true,
      problem: "fetch failed: tcp connect error: Connection refused (os error 111)",
    },
    {
      name: "unset",
      state: "failed",
      timed: true,
      problem: "Variable NOPE is not set: set it where ahma_mcp starts, or write ${NOPE:-default}",
    },
  ]]);
  assert.deepStrictEqual(logins, 0);
  const tool = { name: "echo", description: "Says more", inputSchema: { type: "object" } };
  bench.write("definitions.json", JSON.stringify([tool]));
  const some = await test("srv", "open", ...flags);
  const lines = some.stdout.replaceAll(/\t\d+ ms\t/g, "\tTIME\t").split("\n");
  assert.deepStrictEqual([some.code, lines], [0, [
    "srv\tready\tTIME\t2025-11-25\t1 tool\t1 tool changed or new: ahma_mcp servers diff srv",
    "open\tready\tTIME\t2025-11-25\t1 tool",
    "",
  ]]);
  const wrong = await test("srw", ...flags);
  assert.deepStrictEqual([wrong.code, wrong.stdout, wrong.stderr.split("\n").at(-2)], [
    1,
    "",
    'No server is named "srw"; did you mean "srv"?',
  ]);
});

/** Nothing listens there. */
function closedPort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

function refused(status: number): Response {
  return new Response(null, { status });
}
