/**
 * `servers test`: each server is started or connected in its sandbox as real use does it, and says what it has. And
 * docs/servers.md by its word: each entry and command line is accepted, and what is printed is what the program says.
 */
import assert from "node:assert/strict";
import { answerMcp } from "./_support/login/oauth_server.ts";
import { testRuntime } from "./_support/runtime.ts";
import { type Ran, runProgram } from "./_support/terminal.ts";
import { upstreamServer, writeServers } from "./_support/servers/upstream.ts";
import { Workbench } from "./_support/workbench.ts";
import { entrySentence } from "../src/app/servers/entry_advice.ts";
import { triedLine, type TriedServer } from "../src/cli/commands/servers/test_servers.ts";
import { parseCommandLine } from "../src/settings/flags/parse_command_line.ts";
import { readServersFile } from "../src/upstream/config/read_config.ts";

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

const GUIDE = await Deno.readTextFile(new URL("../docs/servers.md", import.meta.url));

/** The fenced blocks of that language, in order. */
function blocks(language: string): readonly string[] {
  return Array.from(GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm")), ([, text = ""]) => text);
}

async function read(text: string, environment: Readonly<Record<string, string>>) {
  return await readServersFile("mcp.json", text, { environment, scope: "/home/ann/project", home: "/home/ann" });
}

Deno.test("O1 D3 each configuration file in docs/servers.md is read without a warning, and so is the client's entry", async () => {
  const all = await Promise.all(blocks("json").map((text) => read(text, { EXAMPLE_TOKEN: "t" })));
  assert.deepStrictEqual(all.flatMap(({ diagnostics }) => diagnostics), []);
  const names = all.map(({ servers }) => servers.map((one) => one.state === "usable" ? one.spec.name : one));
  assert.deepStrictEqual(names, [["memory", "time", "files", "remote"], ["Ahma"]]);
});

Deno.test("O7 D3 docs/servers.md shows the real output of servers test", async () => {
  const [configured = ""] = blocks("json");
  const { servers } = await read(configured, {});
  const refused = servers.find((one) => one.state === "refused");
  const ready = (name: string, milliseconds: number, counts: Partial<TriedServer>): TriedServer => {
    return { name, state: "ready", protocol: "2025-11-25", milliseconds, ...counts };
  };
  const lines = [
    ready("memory", 1339, { tools: 9, resources: 1 }),
    ready("time", 3085, { tools: 2 }),
    ready("files", 1502, { tools: 14 }),
    { name: "remote", state: "failed", milliseconds: 0, problem: refused?.problem ?? "" } as const,
  ].map(triedLine);
  assert.deepStrictEqual(blocks("text")[0], lines.join(""));
});

Deno.test("S15 D3 docs/servers.md shows the sandbox's real sentence", () => {
  const [path, directory] = ["/home/ann/notes/a.txt", "/home/ann/notes"];
  const denial = { path, access: ["write"], scope: [], flags: [`--write ${directory}`] } as const;
  const facts = { server: "files", scopes: ["/home/ann/project"], named: [directory], readsScope: true };
  assert.deepStrictEqual(blocks("text")[1], `Sandbox: ${entrySentence(denial, facts)}\n`);
});

Deno.test("O1 D3 the fields of docs/servers.md are known, and its command lines are accepted", async () => {
  const fields = GUIDE.split("\n").filter((line) => /^\| `\w+`/.test(line)).flatMap((line) => {
    const [, names = ""] = line.split("|");
    return Array.from(names.matchAll(/`(\w+)`/g), ([, name = ""]) => name);
  });
  const forAddresses = ["url", "serverUrl", "httpUrl", "headers"];
  const unknown = await Promise.all(fields.map(async (field) => {
    const base = forAddresses.includes(field) ? { url: "https://example.com/mcp" } : { command: "x" };
    const { diagnostics } = await read(JSON.stringify({ mcpServers: { a: { ...base, [field]: null } } }), {});
    return diagnostics.filter(({ message }) => /unknown/i.test(message)).map(({ message }) => message);
  }));
  assert.deepStrictEqual([fields.length > 20, unknown.flat()], [true, []]);
  const commands = blocks("sh").join("").split("\n").filter((line) => line.startsWith("ahma_mcp "))
    .map((line) => line.replace(/ +#.*/, "").split(" ").slice(1));
  assert.deepStrictEqual(
    commands.map((words) => parseCommandLine(words)).filter((parsed) => !parsed.ok),
    [],
  );
  assert.deepStrictEqual(commands.map(([, action]) => action), ["test", "diff", "approve"]);
});
