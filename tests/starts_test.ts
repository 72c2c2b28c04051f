/**
 * What a start needs, and what it says first. The program answers `initialize` before it loads what speaks MCP (N3): the
 * load, its failure, and that both agree. A machine may lack what a program needs (S12, L6): the start and `doctor` say
 * what it is, or go on without it. `version --check` alone asks for updates, and other starts ask no one.
 */
import assert from "node:assert/strict";
import { SERVER_RUN_FLAGS } from "../scripts/permissions.ts";
import { VERSION } from "../src/base/version.ts";
import { withDeadline } from "./_support/deadline.ts";
import { readLines } from "./_support/line_reader.ts";
import { programStart } from "./_support/program.ts";
import { testRuntime } from "./_support/runtime.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { exists, usersAtHand, withUsersInTurn, Workbench } from "./_support/workbench.ts";

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

const DEVICES = ["null", "zero", "full", "random", "urandom"] as const;

function readOnly(place: string): string {
  return `mount --bind ${place} ${place} && mount -o remount,bind,ro ${place}`;
}

/** Runs what follows after `change` in mounts of its own. */
function changed(change: string): readonly string[] {
  return ["unshare", "-rm", "sh", "-ec", `${change}\nexec "$@"`, "sh"];
}

/** A /dev that has only these. */
function onlyDevices(bench: Workbench, names: readonly string[]): readonly string[] {
  const dev = `${bench.elsewhere}/dev`;
  const binds = names.map((name) => `: > ${dev}/${name}; mount --bind /dev/${name} ${dev}/${name}`);
  return changed([`mkdir ${dev}; mount -t tmpfs dev ${dev}`, ...binds, `mount --rbind ${dev} /dev`].join("\n"));
}

interface Doctor {
  readonly ok: boolean;
  readonly checks: readonly { readonly id: string; readonly status: string; readonly message: string }[];
}

async function doctor(bench: Workbench, prefix: readonly string[]): Promise<Doctor> {
  const { stdout, stderr } = await runProgram(bench, ["doctor", "--json"], { prefix });
  assert.doesNotMatch(stderr, /Internal error|\bat .*:\d+/);
  return JSON.parse(stdout);
}

/** What a server and a command of it say. */
async function said(bench: Workbench, prefix: readonly string[], flags: readonly string[] = []): Promise<string> {
  await using server = await ServerProcess.start(bench, { prefix, flags });
  return (await server.shell("echo ran > made; cat made")).text;
}

// Root of a namespace of its own makes each of these machines, and is alike for every user outside: one user tries one of them.
const [one = "ordinary", other = one] = usersAtHand();

// With the sandbox doctor finds the same, below.
Deno.test(`S12 without /dev/null and a sandbox no server starts, and says what is missing, as ${other}`, async () => {
  using bench = new Workbench(other);
  const prefix = onlyDevices(bench, DEVICES.slice(1));
  await assert.rejects(ServerProcess.start(bench, { prefix, flags: ["--no-sandbox"] }), (error: Error) => {
    assert.match(error.message, /^Cannot start programs: \/dev\/null is missing\./m);
    assert.match(error.message, /mknod -m 666 \/dev\/null c 1 3/);
    return true;
  });
});

Deno.test(`S12 a regular file in place of /dev/null is refused, and nothing is written to it, as ${one}`, async () => {
  using bench = new Workbench(one);
  const file = bench.write(`${bench.elsewhere}/file`, "as it was\n");
  const prefix = changed(`mount --bind ${file} /dev/null`);
  await assert.rejects(ServerProcess.start(bench, { prefix }), /Cannot start programs: \/dev\/null is not a device/);
  assert.strictEqual(await Deno.readTextFile(file), "as it was\n");
});

Deno.test(`L6 S12 doctor names a missing /dev/null in each check that needs it, as ${other}`, async () => {
  using bench = new Workbench(other);
  const { ok, checks } = await doctor(bench, onlyDevices(bench, DEVICES.slice(1)));
  const failed = checks.filter(({ status }) => status === "failed");
  assert.deepStrictEqual([ok, failed.map(({ id }) => id)], [false, ["server", "sandbox", "tools"]]);
  for (const { message } of failed) assert.match(message, /^Cannot start programs: \/dev\/null is missing\./);
});

Deno.test(`S12 with /dev/null alone commands run, and doctor finds the sandbox whole, as ${one}`, async () => {
  using bench = new Workbench(one);
  assert.match(await said(bench, onlyDevices(bench, ["null"])), /^ran$/m);
  await Deno.remove(`${bench.elsewhere}/dev`);
  const { ok, checks } = await doctor(bench, onlyDevices(bench, ["null"]));
  assert.deepStrictEqual([ok, checks.find(({ id }) => id === "self_test")?.status], [true, "ok"]);
});

for (const [place, user] of withUsersInTurn(["/tmp", "home"])) {
  Deno.test(`S5 S12 where ${place} is read-only commands run, and doctor tries the sandbox, as ${user}`, async () => {
    using bench = new Workbench(user);
    const places = place === "home" ? [bench.home] : ["/tmp", "/var/tmp"];
    const prefix = changed(places.map(readOnly).join("\n"));
    assert.match(await said(bench, prefix), /^ran$/m);
    const { ok, checks } = await doctor(bench, prefix);
    assert.deepStrictEqual([ok, checks.find(({ id }) => id === "write_inside")?.status], [true, "ok"]);
  });
}

Deno.test(`S12 without /proc the start says that it is to be mounted, as ${other}`, async () => {
  using bench = new Workbench(other);
  const prefix = changed("mount -t tmpfs proc /proc");
  // A clone may lie where another user reads nothing.
  const text = await Deno.readTextFile(new URL("../dist/ahma_mcp", import.meta.url));
  const script = bench.write(`${bench.parent}/start/ahma_mcp`, text);
  await Deno.chmod(script, 0o755);
  const environment = { AHMA_DENO: "/bin/sh" }; // any program: it is not started
  const { code, stderr } = await runProgram(bench, [], { prefix: [...prefix, script], environment });
  assert.deepStrictEqual([code, stderr], [
    1,
    "Cannot start ahma_mcp: /proc/self/exe cannot be opened: mount /proc\n",
  ]);
});

const CI = Deno.env.get("CI") === "true";
const SCRIPT = new URL("../dist/ahma_mcp", import.meta.url).pathname;
const STRACE = "/usr/bin/strace";
const WITHOUT = exists(STRACE) ? "" : ` (ignored: ${STRACE} is not installed)`;

/** A registry that gives one answer, and the requests that came. */
function registry(answer: () => Response): AsyncDisposable & { readonly url: string; readonly seen: string[] } {
  const seen: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    seen.push(`${request.method} ${new URL(request.url).pathname}`);
    return answer();
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  return { url, seen, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** What `version --check` says when the registry answers so. */
async function checked(bench: Workbench, answer: () => Response) {
  await using there = registry(answer);
  const environment = { npm_config_registry: `${there.url}/` };
  const { code, stdout, stderr } = await runProgram(bench, ["version", "--check"], { script: true, environment });
  return { code, stdout, stderr: stderr.replaceAll(there.url, "URL"), seen: there.seen };
}

Deno.test("L9 version shows the version; with --check it asks once, and names a newer one", async () => {
  using bench = new Workbench();
  assert.deepStrictEqual(await runProgram(bench, ["version"]), {
    code: 0,
    stdout: `ahma_mcp ${VERSION}\n`,
    stderr: "",
  });
  assert.deepStrictEqual(await checked(bench, () => Response.json({ version: "12.0.0" })), {
    code: 0,
    stdout: `ahma_mcp 12.0.0 is out, and this is ${VERSION}. Get it the way you got this one, such as npm install -g ` +
      "ahma_mcp@12.0.0\n",
    stderr: "",
    seen: ["GET /ahma_mcp/latest"],
  });
});

Deno.test("L9 version --check asks the registry that npm takes for the user, and says where npm names none", async () => {
  using bench = new Workbench();
  bench.write(".npmrc", "registry=http://registry.invalid/\n");
  await using there = registry(() => Response.json({ version: VERSION }));
  const npm = async (name: string, line: string) => {
    const path = bench.write(`${bench.parent}/${name}/npm`, `#!/bin/sh\n${line}\n`);
    await Deno.chmod(path, 0o755);
    const { code, stdout, stderr } = await runProgram(bench, ["version", "--check"], {
      script: true,
      environment: { PATH: `${bench.parent}/${name}:/usr/bin:/bin` },
    });
    return [code, stdout + stderr];
  };
  assert.deepStrictEqual(
    await npm("good", `[ "$PWD" = / ] && [ "$*" = "config get registry" ] && echo ${there.url}/`),
    [
      0,
      `ahma_mcp ${VERSION} is the newest version\n`,
    ],
  );
  assert.deepStrictEqual(there.seen, ["GET /ahma_mcp/latest"]);
  assert.deepStrictEqual(await npm("bad", "echo undefined"), [
    1,
    "Cannot tell which registry to ask: npm does not say. Set npm_config_registry to the address of one\n",
  ]);
});

Deno.test("L9 version --check says why no answer came, and shows no foreign text as it is", async () => {
  using bench = new Workbench();
  const hostile = await checked(bench, () => Response.json({ version: "9.9.9\x1b[2J\u202e; rm -rf ~" }));
  assert.deepStrictEqual([hostile.code, hostile.stdout], [1, ""]);
  assert.match(
    hostile.stderr,
    /^Cannot ask "URL\/ahma_mcp\/latest" for .*: its answer names the version "9\.9\.9\\u001b\[2J/,
  );
  assert.deepStrictEqual(["\x1b", "\u202e"].filter((character) => hostile.stderr.includes(character)), []);
  const environment = { npm_config_registry: "http://registry.invalid" };
  const offline = await runProgram(bench, ["version", "--check"], { script: true, environment });
  assert.deepStrictEqual([offline.code, offline.stdout], [1, ""]);
  assert.match(
    offline.stderr,
    /^Cannot ask "http:\/\/registry\.invalid\/ahma_mcp\/latest" for the newest version: dns error/,
  );
  const without = await runProgram(bench, ["version", "--check"], { environment });
  assert.match(without.stderr, /this runtime was started without network permission \(--allow-net\)/);
});

Deno.test({
  name: `L9 no start of the program connects to anything, but version --check does${WITHOUT}`,
  ignore: !exists(STRACE) && !CI,
  fn: async () => {
    using bench = new Workbench();
    const log = `${bench.parent}/calls`;
    const prefix = [STRACE, "-f", "-qq", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-o", log];
    const connections = async (words: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
      const [command = "", ...args] = [...prefix, SCRIPT, ...words];
      const env = { ...programStart(bench, []).environment, AHMA_DENO: Deno.execPath(), ...environment };
      const { code } = await new Deno.Command(command, { args, cwd: bench.scope, clearEnv: true, env, stdin: "null" })
        .output();
      const lines = (await Deno.readTextFile(log)).split("\n").filter((line) => line.includes("AF_INET"));
      return { code, connects: lines.length > 0 };
    };
    const starts = [["--version"], [], ["call", "sandboxed_shell", "--", "echo run"]];
    for (const words of starts) {
      assert.deepStrictEqual(await connections(words), { code: 0, connects: false }, words.join(" "));
    }
    await using there = registry(() => Response.json({ version: VERSION }));
    const asked = await connections(["version", "--check"], { npm_config_registry: there.url });
    assert.deepStrictEqual(asked, { code: 0, connects: true });
  },
});
