/** The policy of a machine: what it forbids and forces holds for every start, however the start tries to get round it (S37). */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { scopeMessage } from "../src/bridge/isolated/scope_message.ts";
import { NO_POLICY, police } from "./_support/servers/policed.ts";
import { HttpClient } from "./_support/clients/http_client.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { type Ran, runProgram } from "./_support/terminal.ts";
import { exists, usersAtHand, withUsersInTurn, Workbench } from "./_support/workbench.ts";

const SUPPORT = "Ask #security in the chat.";
const NAMED = /policy "\/etc\/ahma\/policy\.json" (?:forbids|allows at most|sets) --[\w-]+/;

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({
    name: NO_POLICY === undefined ? name : `${name} (ignored: ${NO_POLICY})`,
    ignore: NO_POLICY !== undefined,
    fn,
  });
}

/** The policy of most tests. */
function strictPolicy(bench: Workbench) {
  return {
    forbid: ["write", "--env", "ask", "no_sandbox"],
    force: {
      network: ["one.test:443", "*.two.test:443"],
      unix_sockets: "private",
      strict: true,
      protect: "kept",
      timeout: 100,
      audit_log: `${bench.elsewhere}/audit-{uid}.jsonl`,
    },
    profiles: { ci: { network: "none", timeout: 50 }, open: { env: "TOKEN" } },
    support: SUPPORT,
  };
}

/** One way round, as words, variables, or the settings file of the user or the project. */
interface Way {
  readonly words?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly user?: unknown;
  /** Words of another subcommand; absent: a call of the shell tool. */
  readonly line?: readonly string[];
  readonly directory?: string;
  /** The scope that the bridge of HTTP sends is sent too. */
  readonly isChild?: true;
}

/** Hosts by name need it. */
const NET = ["--allow-net"];
const CALL = ["call", "--quiet", "sandboxed_shell", "--", "echo ran"];
const HTTP = ["--mode", "http", "--http-port", "0"];

/**
 * Every start and every source holds the same settings: each of them is here, not each with each.
 * src/settings/policy/policy_test.ts has what a policy makes of each flag and value.
 */
const WAYS: Readonly<Record<string, Way>> = {
  "no sandbox in another directory": { words: ["--no-sandbox"], directory: "/" },
  "no sandbox for check-access, spelled otherwise": { line: ["check-access", "/", "--no_sandbox"] },
  "no sandbox for list-tools by variable": { line: ["list-tools"], variables: { AHMA_NO_SANDBOX: "1" } },
  "no sandbox for HTTP by the user's file": { line: HTTP, user: { no_sandbox: true } },
  "no sandbox for the server by a profile of a variable": {
    line: ["serve"],
    variables: { AHMA_PROFILE: "mine" },
    user: { profiles: { mine: { no_sandbox: true } } },
  },
  "the whole network for doctor": { line: ["doctor", "--network", "full"] },
  "the whole network for doctor --project by variable": {
    line: ["doctor", "--project"],
    variables: { AHMA_NETWORK: "full" },
  },
  "the whole network for each client of HTTP": { line: [...HTTP, "--session-isolation", "--network=full"] },
  "another host for a secret": {
    words: ["--secret", "TOKEN=three.test"],
    variables: { TOKEN: "value-of-a-token" },
  },
  "the sockets of other programs for validate": { line: ["validate", "--unix-sockets", "allow"] },
  "a forced switch turned off by the user's file": { user: { strict: false } },
  "a profile of the machine with what is forbidden": { words: ["--profile", "open"] },
  "another server without a sandbox": { line: ["list-tools", "--no-sandbox-server", "--", "sh", "-c", "echo ran"] },
  "HTTP before another server": { line: [...HTTP, "--server-command", "sh", "--no-sandbox-server"] },
  "a child server of HTTP": { line: ["--await-scope", "--no-sandbox", "--mode=stdio"], isChild: true },
  "a forced switch turned off for a spare child server by variable": {
    line: ["--await-scope=ahead", "--mode=stdio"],
    variables: { AHMA_STRICT: "0" },
    isChild: true,
  },
};

async function attempt(bench: Workbench, way: Way): Promise<Ran> {
  const { words = [], variables = {}, user = {}, line, directory, isChild } = way;
  bench.write(`${bench.home}/.config/ahma/settings.json`, JSON.stringify(user));
  const [call = "", ...rest] = CALL;
  const { dev, ino } = await Deno.stat(bench.scope);
  const scope = scopeMessage([{ path: bench.scope, device: BigInt(dev), inode: BigInt(ino ?? 0) }]);
  return await runProgram(bench, line ?? [call, ...words, ...rest], {
    permissions: NET,
    environment: variables,
    ...directory !== undefined && { directory },
    ...isChild && { typed: new TextDecoder().decode(scope) },
  });
}

// Settings refuse a way before anything asks for a right: each way is one user's, and each user has every second one.
test("S37 nothing that a start gives escapes the policy, and each refusal names its file and its support line", async () => {
  for (const user of usersAtHand()) {
    using bench = new Workbench(user);
    police(bench, { policy: strictPolicy(bench) });
    const held = await attempt(bench, {});
    assert.deepStrictEqual([held.code, held.stdout, held.stderr], [0, "ran\n", ""], user);
    for (const [[name, way]] of withUsersInTurn(Object.entries(WAYS)).filter(([, whose]) => whose === user)) {
      const { code, stdout, stderr } = await attempt(bench, way);
      const said = `${name}, as ${user}: ${code} ${stdout} ${stderr}`;
      assert.deepStrictEqual([code, stdout], [2, ""], said);
      assert.match(stderr, NAMED, said);
      assert.ok(stderr.includes(SUPPORT), said);
    }
  }
});

/** What is not to be trusted or understood, by lines of root's shell in the directory of the file. */
const BROKEN: Readonly<Record<string, readonly [change: string, why: RegExp]>> = {
  "an owner who runs it": ["chown 65534 policy.json", /policy\.json" belongs to user 65534, not to root/],
  "a group that may write": ["chmod g+w policy.json", /users other than root can change "\/etc\/ahma\/policy\.json"/],
  "another owner of the directory": ["chown 1 .", /"\/etc\/ahma" belongs to user 1/],
  "a directory that all may change": ["chmod o+w .", /users other than root can change "\/etc\/ahma"/],
  "such a directory without the file": [
    "rm policy.json; chmod 777 .",
    /users other than root can change "\/etc\/ahma"/,
  ],
  "a directory above that a group may change": ["chmod g+w ..", /users other than root can change "\/etc"/],
  "a link of another user": ["mv policy.json p; ln -s p policy.json; chown -h 1 policy.json", /belongs to user 1/],
  "a directory that is another user's link": ["cd ..; mv ahma a; ln -s a ahma; chown -h 1 ahma", /belongs to user 1/],
  "a link to where all may write": [
    "mkdir -m 777 ../open; mv policy.json ../open; ln -s ../open/policy.json policy.json",
    /users other than root can change "\/etc\/open"/,
  ],
  "a link to a file of another user": [
    "chown 1 policy.json; mv policy.json p; ln -s p policy.json",
    /"\/etc\/ahma\/p" belongs/,
  ],
  "a link that leads nowhere": ["ln -sf nowhere policy.json", /No such file/],
  "a link to itself": ["rm policy.json; ln -s policy.json policy.json", /too many links/],
  "a pipe": ["rm policy.json; mkfifo policy.json", /not a regular file/],
  "a directory": ["rm policy.json; mkdir policy.json", /not a regular file/],
  "a file in place of the directory": ["cd ..; rm -r ahma; : > ahma", /not a directory/],
  // Its other mistakes are those of parsePolicy(), next to it.
  "half a file": ["head -c 20 policy.json > p; mv p policy.json", /The file is not valid JSON/],
  "too large a file": ["head -c 300000 /dev/zero | tr '\\0' ' ' >> policy.json", /more than 262144 bytes/],
};

/** What is taken for a policy, or for none: links of root, and no file. */
const SOUND: Readonly<Record<string, readonly [change: string, holds: boolean]>> = {
  "the file": ["", true],
  "a link of root": ["mkdir ../real; mv policy.json ../real/p; ln -s ../real/p policy.json", true],
  "a directory that is root's link": ["cd ..; rm -rf other; mv ahma other; ln -s /etc/other ahma", true],
  "no file": ["rm policy.json", false],
  "no directory": ["rm -r ../ahma", false],
};

/** Reads the policy for each line of its input, and prints what came of it. */
const READER = `
import { readPolicy } from ${JSON.stringify(import.meta.resolve("../src/settings/policy/policy_file.ts"))};
const input = Deno.stdin.readable.pipeThrough(new TextDecoderStream());
for await (const _ of input) {
  const { ok, value, problem } = await readPolicy();
  console.log(JSON.stringify({ holds: ok && value !== undefined, problem }));
}
`;

interface Read {
  readonly holds: boolean;
  readonly problem?: string;
}

/** One process on the bench's machine, asked for the policy as often as it changes. */
async function withReader(bench: Workbench, act: (read: () => Promise<Read>) => Promise<void>): Promise<void> {
  const reader = bench.write(`${bench.parent}/reader.ts`, READER);
  const config = new URL("../deno.json", import.meta.url).pathname;
  const [command = "", ...args] = [
    ...[...bench.machine, Deno.execPath(), "run", "--no-prompt", "--no-check", "--config", config],
    ...["--allow-read", "--allow-env", "--allow-sys", reader],
  ];
  const child = new Deno.Command(command, { args, stdin: "piped", stdout: "piped", stderr: "inherit" }).spawn();
  const said = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const asking = child.stdin.getWriter();
  try {
    await act(async () => {
      await asking.write(new TextEncoder().encode("\n"));
      const { value = "" } = await said.read();
      return JSON.parse(value);
    });
  } finally {
    await asking.close();
    await Promise.all([child.status, said.cancel()]);
  }
}

test("S37 a policy that is not root's alone, or not understood, lets nothing start and says why", async () => {
  using bench = new Workbench("ordinary");
  const policy = strictPolicy(bench);
  police(bench, { policy });
  await withReader(bench, async (read) => {
    for (const [name, [change, why]] of Object.entries(BROKEN)) {
      police(bench, { policy, change });
      const { holds, problem = "" } = await read();
      assert.ok(!holds, name);
      assert.match(problem, /^Cannot use policy .*\/etc\/ahma\/policy\.json.*\nNothing starts on this machine/, name);
      assert.match(problem, why, name);
    }
    for (const [name, [change, holds]] of Object.entries(SOUND)) {
      police(bench, { policy, change });
      assert.deepStrictEqual(await read(), { holds }, name);
    }
  });
  // Any start asks for it. These say what only this user may not read; root may.
  for (const change of ["chmod 600 policy.json", "chmod 700 ."]) {
    police(bench, { policy: {}, change });
    const { code, stdout, stderr } = await runProgram(bench, CALL);
    assert.deepStrictEqual([code, stdout], [2, ""], stderr);
    assert.match(stderr, /^Cannot use policy .*Permission denied.*\nNothing starts on this machine/);
  }
});

test("S37 a policy leaves what is narrower, and forces what a start leaves open", async () => {
  using bench = new Workbench("ordinary");
  police(bench, { policy: strictPolicy(bench) });
  const narrower = ["--network", "a.two.test:443", "--timeout", "20"];
  const call = ["call", "--quiet", ...narrower, "sandboxed_shell", "--", "true"];
  const { code, stderr } = await runProgram(bench, call, { permissions: NET });
  assert.deepStrictEqual([code, stderr], [0, ""]);
  const say = async (...words: readonly string[]) => (await runProgram(bench, words, { permissions: NET })).stdout;
  const holds = /^yes: .*The policy "\/etc\/ahma\/policy\.json" holds/;
  assert.match(await say("check-access", "x.two.test:443"), holds);
  const allows = /^no: .*The policy .* allows at most --network one\.test:443,.*Ask #security/;
  assert.match(await say("check-access", "three.test"), allows);
  // The profile has no network.
  assert.match(await say("check-access", "x.two.test:443", "--profile", "ci"), /^no: /);
  // What no kernel has spares it the tests of the sandbox.
  assert.match(
    await say("doctor", "--require-abi", "99"),
    /policy +"\/etc\/ahma\/policy\.json" forbids [^]*questions +off: [^;\n]+\n/,
  );
  // A project needs a host and a variable that the policy keeps closed: no flag is recommended.
  bench.write("package.json", JSON.stringify({ dependencies: { a: "1" } }));
  bench.write(".npmrc", "//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n");
  const refused = /packages.*The policy.* at most --network .*\n.*NPM_TOKEN.*The policy.* forbids --env.*\n$/;
  assert.match(await say("doctor", "--project"), refused);
});

test("S37 a server says which policy holds, writes its fingerprint, and keeps it when the file is replaced", async () => {
  using bench = new Workbench("ordinary");
  const policy = strictPolicy(bench);
  const file = police(bench, { policy });
  // A project decides nothing that the policy decides, and its wishes keep no server from starting.
  bench.write(
    ".ahma/settings.json",
    JSON.stringify({ network: "localhost", timeout: 5000, write: ["/opt"], strict: false }),
  );
  await using server = await ServerProcess.start(bench, { permissions: NET });
  const hash = createHash("sha256").update(await Deno.readFile(file)).digest("hex");
  const status = (await server.call("status", {})).text;
  assert.match(
    status,
    /^Policy: "\/etc\/ahma\/policy\.json" forbids --write --env --ask --no-sandbox.*forces --network/m,
  );
  assert.ok(status.includes(hash.slice(0, 16)));
  assert.match(
    server.stderr,
    /"timeout" of .*settings\.json" is ignored: policy "\/etc\/ahma\/policy\.json" allows at most/,
  );
  const denied = (await server.shell("echo x > /opt/made; curl -sS --max-time 20 https://three.test; false")).text;
  assert.match(denied, /The policy "\/etc\/ahma\/policy\.json" .*Ask #security in the chat\./);
  assert.doesNotMatch(denied, /start the server with --(?:network|write)/);
  const [user] = new TextDecoder().decode(
    new Deno.Command("stat", { args: ["-c", "%u", bench.scope] }).outputSync().stdout,
  ).split("\n");
  const log = (await Deno.readTextFile(`${bench.elsewhere}/audit-${user}.jsonl`)).split("\n");
  const { event, file: named, sha256 } = JSON.parse(log[0] ?? "");
  assert.deepStrictEqual([event, named, sha256], ["policy", "/etc/ahma/policy.json", hash]);
  // The next start has the new one.
  police(bench, { policy: { ...policy, force: { network: "full" } } });
  assert.match((await server.call("status", {})).text, /forces --network one\.test:443/);
  assert.match((await server.shell("curl -sS --max-time 20 https://three.test")).text, /Could not resolve|three\.test/);
});

test("S37 the entries of servers open no more than the policy", async () => {
  using bench = new Workbench("ordinary");
  police(bench, {
    policy: { forbid: ["write", "read"], force: { network: ["one.test"], unix_sockets: "private" }, support: SUPPORT },
  });
  const entry = (rest: object) => ({ command: "sh", args: ["-c", "echo"], ...rest });
  const mcpServers = {
    wide: entry({ network: "full" }),
    other: entry({ network: ["three.test"] }),
    sockets: entry({ unixSockets: "allow" }),
    reader: entry({ read: ["/opt"] }),
    writer: entry({ write: ["scope", "/opt"] }),
    far: { url: "https://three.test/mcp" },
    near: entry({ network: ["one.test"], write: ["scope"] }),
    own: { url: "https://one.test/mcp" },
  };
  const config = bench.write(`${bench.elsewhere}/mcp.json`, JSON.stringify({ mcpServers }));
  await using server = await ServerProcess.start(bench, {
    flags: ["--mcp-config", config],
    permissions: ["--allow-net"],
  });
  const status = (await server.call("status", {})).text;
  const said = (name: string) => status.split("\n").find((line) => line.includes(`${name}: `)) ?? "";
  for (const name of ["wide", "other", "sockets", "reader", "writer", "far"]) {
    assert.match(said(name), NAMED, `${name} ${status}`);
    assert.ok(said(name).includes(SUPPORT), status);
  }
  for (const name of ["near", "own"]) assert.doesNotMatch(said(name), NAMED, status);
});

test("S37 the child servers of HTTP are held by the policy, whatever is in the roots of their clients", async () => {
  using bench = new Workbench("ordinary");
  const { forbid, ...rest } = strictPolicy(bench);
  police(bench, { policy: { ...rest, forbid: [...forbid, "sandbox-scope"] } });
  const { stderr } = await runProgram(bench, ["call", "--sandbox-scope", bench.scope, "sandboxed_shell", "--", "true"]);
  assert.match(stderr, /Cannot use flag "--sandbox-scope": policy ".*" forbids --sandbox-scope/);
  bench.write("root/.ahma/settings.json", JSON.stringify({ network: "full", no_sandbox: true, timeout: 5000 }));
  await using server = await HttpServerProcess.start(bench, { flags: ["--session-isolation"] });
  await using client = await HttpClient.connect(server, { roots: [`${bench.scope}/root`] });
  assert.match((await client.call("status", {})).text, /^Policy: "\/etc\/ahma\/policy\.json" forbids/m);
  bench.write("root/kept", "kept");
  assert.match((await client.shell("echo x > kept; cat kept")).text, /Read-only|Permission denied/);
  await client.shell(`echo x > ${bench.elsewhere}/made`);
  assert.ok(!exists(`${bench.elsewhere}/made`));
});

test("S37 commands cannot change the policy, and no scope holds it", async () => {
  using bench = new Workbench("root");
  police(bench, { policy: { forbid: ["no-sandbox"] } });
  const { code } = await runProgram(bench, ["call", "sandboxed_shell", "--", "echo '{}' > /etc/ahma/policy.json"]);
  assert.notEqual(code, 0);
  for (const flags of [["--sandbox-scope", "/etc"], ["--write", "/etc/ahma/policy.json"]]) {
    const { code, stderr } = await runProgram(bench, [
      "call",
      "--quiet",
      ...flags,
      "sandboxed_shell",
      "--",
      "echo ran",
    ]);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /Cannot enforce policy "\/etc\/ahma\/policy\.json": commands can write where it is/);
  }
});

test("S37 doctor --policy checks a file before it is rolled out, on a machine with a broken one too", async () => {
  using bench = new Workbench("ordinary");
  police(bench, { policy: "{" });
  const check = async (policy: unknown) => {
    const file = bench.write("policy.json", JSON.stringify(policy));
    const { code, stdout } = await runProgram(bench, ["doctor", "--policy", file]);
    return `${code} ${stdout}`;
  };
  assert.match(
    await check({ forbid: ["env"], force: { network: "none" } }),
    /^0 Policy .* forbids --env .*"unix_sockets" is not forced.*It takes effect as /s,
  );
  assert.match(
    await check({ forbid: ["envs"], force: { networks: "none" } }),
    /^1 .*"networks" is unknown.*\n.*"envs" is not a flag|^1 .*"envs" is not a flag.*\n.*"networks" is unknown/,
  );
  assert.match(
    await check({ forbid: ["env"], profiles: { a: { env: "X" } } }),
    /^1 .*Cannot use setting "profiles\.a\.env".*forbids --env/s,
  );
});
