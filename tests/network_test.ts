/**
 * Where commands can make themselves heard (S6). Something outside listens on every kind of socket; a command speaks on
 * every one. Only what was heard counts, and without the sandbox all of it must be. A server whose list does not hold does
 * not start, and says what does not hold (S32): the kernels there lie.
 */
import assert from "node:assert/strict";
import { CLONE_NEWNET, SYSTEM_CALLS } from "../src/system/syscalls.ts";
import { compile, HAS_COMPILER, NO_COMPILER } from "./_support/kernel/compiled.ts";
import { type Lie, lyingKernel } from "./_support/kernel/lying_kernel.ts";
import { readLines } from "./_support/line_reader.ts";
import { ServerProcess, type StartOptions } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { type User, usersAtHand, withUsersInTurn, Workbench } from "./_support/workbench.ts";

const NETWORK = ["fast-open", "mptcp", "tcp4", "tcp6", "udp4", "udp6"];
const UNIX = ["datagram", "stream", "turned-pair"];

interface Heard {
  /** What arrived outside. */
  readonly outside: readonly string[];
  /** What the command could do by itself. */
  readonly own: readonly string[];
}

/** What is heard of a command under these flags; the Unix sockets lie in the scope, where nothing else is in the way. */
async function heard(
  user: User,
  options: StartOptions,
  check?: (server: ServerProcess) => Promise<void>,
  project: object = {},
): Promise<Heard> {
  using bench = new Workbench(user);
  bench.write(".ahma/settings.json", JSON.stringify(project));
  bench.write("voices.py", await Deno.readTextFile(new URL("_support/servers/network_voices.py", import.meta.url)));
  const child = new Deno.Command("python3", {
    args: [new URL("_support/servers/network_ears.py", import.meta.url).pathname],
    cwd: "/",
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(`${bench.scope}\n${bench.marker}\n`));
  const lines: string[] = [];
  const ready = Promise.withResolvers<string>();
  const reading = readLines(child.stdout, (line) => {
    if (lines.push(line) === 1) ready.resolve(line);
  });
  const where = await ready.promise;
  let own: readonly string[];
  try {
    await using server = await ServerProcess.start(bench, options);
    await check?.(server);
    const words = [where, bench.scope, bench.marker].map((word) => `'${word}'`).join(" ");
    const { text } = await server.shell(`/usr/bin/python3 voices.py ${words}`);
    own = [...text.matchAll(/^(\w+) ok$/gm)].map(([, name = ""]) => name).toSorted();
    assert.match(text, /^crypto (ok|no)$/m, text);
  } finally {
    await writer.close();
    await reading;
    await child.status;
  }
  return { outside: lines.slice(1).filter((line) => line !== ""), own };
}

/** Whether two commands that run at the same time are in one network, which is empty and not the host's. */
async function haveOneNetwork(server: ServerProcess): Promise<boolean> {
  const ask = "readlink /proc/self/ns/net; tail -n +3 /proc/net/dev | cut -d: -f1";
  await server.shell("mkfifo meet");
  // Neither ends before the other has been asked, else the number of a namespace could come again.
  const answers = await Promise.all([server.shell(`${ask}; : > meet`), server.shell(`${ask}; : < meet`)]);
  const seen = answers.map(({ text }) => /^net:\[\d+\]\n +lo$/m.exec(text)?.[0] ?? assert.fail(text));
  assert.ok(!seen.some((one) => one.includes(Deno.readLinkSync("/proc/self/ns/net"))));
  return seen[0] === seen[1];
}

/** Only root has the right to these sockets, sandbox or not. */
const ROOTS_OWN = ["packet", "raw"];

// The filter of sockets is the same for every user; networks of their own are made in other ways.
const FILTERED = [
  { how: "--network full: the network is open, Unix and rare sockets are not", flags: [], more: [] },
  {
    how: "--unix-sockets allow opens those that have a path, and still no abstract ones",
    flags: ["--unix-sockets", "allow"],
    more: UNIX,
  },
];

for (const [{ how, flags, more }, user] of withUsersInTurn(FILTERED)) {
  Deno.test(`S6 ${how}, as ${user}`, async () => {
    assert.deepStrictEqual(await heard(user, { flags }), {
      outside: [...NETWORK, ...more].toSorted(),
      own: ["listen", "loopback", "pair", "routes"],
    });
  });
}

for (const user of usersAtHand()) {
  Deno.test(`S6 --network localhost is a loopback of the command's own, as ${user}`, async () => {
    const isOwn = async (server: ServerProcess) => assert.ok(!(await haveOneNetwork(server)));
    assert.deepStrictEqual(await heard(user, { flags: ["--network", "localhost"] }, isOwn), {
      outside: [],
      own: ["listen", "loopback", "pair", "routes"],
    });
  });

  Deno.test(`S6 --network none leaves nothing but pairs, also where a project closes the network, and one empty network serves all commands of a session, as ${user}`, async () => {
    const isOne = async (server: ServerProcess) => assert.ok(await haveOneNetwork(server));
    // A project may close the network of its commands; src/settings/settings_files_test.ts shows that none opens it.
    const project = user === "ordinary" ? { network: "none" } : {};
    const environment = user === "ordinary" ? {} : { AHMA_NETWORK: "none" };
    assert.deepStrictEqual(await heard(user, { environment }, isOne, project), {
      outside: [],
      own: ["pair"],
    });
  });

  // An own network of a command is made for each user above: the settings alone decide which commands have one.
  if (user === "root") continue;
  Deno.test(`S6 --network none: each command that can make a Unix socket has an empty network of its own, as ${user}`, async () => {
    using bench = new Workbench(user);
    await using server = await ServerProcess.start(bench, { flags: ["--network", "none", "--unix-sockets", "allow"] });
    assert.ok(!(await haveOneNetwork(server)));
  });
}

// Without the sandbox nothing but the rights of the user is in the way, and only root has those of two more sockets.
Deno.test("S6 S14 the control: without the sandbox all connections arrive, and status says that no network setting is enforced", async () => {
  const [user = "ordinary"] = usersAtHand();
  const { outside, own } = await heard(user, { flags: ["--no-sandbox", "--network", "none"] }, async (server) => {
    assert.match((await server.call("status")).text, /off \(--no-sandbox\).*--network none does NOT hold/);
  });
  assert.deepStrictEqual(outside, ["abstract", ...NETWORK, ...UNIX].toSorted());
  const expected = ["listen", "loopback", "pair", "routes", "audit", "diagnostics"];
  for (const name of user === "root" ? [...expected, ...ROOTS_OWN] : expected) assert.ok(own.includes(name), name);
});

const SYS = SYSTEM_CALLS[Deno.build.arch === "aarch64" ? "aarch64" : "x86_64"];

Deno.test({
  name: `S6 without namespaces localhost becomes none, which holds all the same, and says so${NO_COMPILER}`,
  ignore: !HAS_COMPILER,
  fn: async () => {
    using tools = new Workbench();
    const prefix = [await compile("without_calls.c", `${tools.elsewhere}/without_calls`), "1", String(SYS.unshare)];
    const said = async (server: ServerProcess) => {
      assert.match((await server.call("status")).text, /NOT HELD: --network localhost became none/);
    };
    const { outside, own } = await heard("ordinary", { prefix, flags: ["--network", "localhost"] }, said);
    assert.deepStrictEqual([outside, own], [[], ["pair"]]);
    assert.deepStrictEqual((await heard("ordinary", { prefix })).outside, NETWORK, "the control");
  },
});

const LISTED = ["--network", "named.example.test"];
const REFUSAL =
  /Cannot restrict commands to the list of --network: the sandbox does not hold on this machine\. Its self-test could ([^.]*)\. No command is run/;

for (const user of usersAtHand()) {
  Deno.test(`S32 a server with a list does not start where a step of it only seems to be in force, as ${user}`, async () => {
    using bench = new Workbench(user);
    const kernel = await lyingKernel(bench);
    const startUnder = (lies: readonly Lie[], prefix: readonly string[] = []) =>
      ServerProcess.start(bench, { flags: LISTED, prefix: [...prefix, ...kernel(lies)], permissions: ["--allow-net"] })
        .then(async (server) => {
          await server[Symbol.asyncDispose]();
          return "started";
        }, ({ message }: Error) => message);
    const could = async (call: number) => REFUSAL.exec(await startUnder([{ call, errno: 0 }]))?.[1] ?? "";
    if (user === "root") {
      assert.match(await could(SYS.setns), /send a datagram out, reach the loopback of the machine/);
    } else {
      assert.strictEqual(await startUnder([]), "started"); // the control: the filter alone changes nothing
      // The same filter and rules for every user.
      assert.match(await could(SYS.seccomp), /reach the user's key ring/);
      assert.match(await could(SYS.landlock_restrict_self), /^read a file outside/);
    }
    // No network of its own is made: what stands for names would be this machine's. It has one of its own here.
    const alone = user === "root" ? ["unshare", "--net"] : ["unshare", "--user", "--map-current-user", "--net"];
    const own = user === "root" ? CLONE_NEWNET : 0x5000_0000;
    const said = await startUnder([{ call: SYS.unshare, errno: 0, first: own }], alone);
    assert.match(
      said,
      user === "root" ? /could [^.]*reach the loopback of the machine/ : /Cannot make the network that/,
    );
  });
}

// Of the network that is not entered: for root the start says it above.
Deno.test("S32 L6 doctor fails where a list only seems to hold, and says what it let pass", async () => {
  using bench = new Workbench("ordinary");
  const kernel = await lyingKernel(bench);
  const prefix = kernel([{ call: SYS.setns, errno: 0 }]);
  const { code, stdout } = await runProgram(bench, ["doctor", "--json", ...LISTED], {
    prefix,
    permissions: ["--allow-net"],
  });
  assert.strictEqual(code, 1, stdout);
  assert.match(
    stdout,
    /FAILED, commands are refused: could [^"]*send a datagram out, reach the loopback of the machine/,
  );
});
