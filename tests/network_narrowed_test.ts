/** `network` in tool files: it narrows what the server allows for their commands, and never widens it (S43). */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { namesHere } from "./_support/names_here.ts";
import { runProgram } from "./_support/terminal.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { type User, usersAtHand, Workbench } from "./_support/workbench.ts";

const ONE = "one.example.test";
const TWO = "two.example.test";
const THREE = "three.example.test";

/** Prints what comes of a connection. */
const CLIENT = `
import socket, sys
try:
    s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 5)
    s.sendall(b"hello\\n")
    print("answered" if s.recv(100) else "closed")
except OSError as e:
    print(type(e).__name__)
`;

interface Started {
  readonly bench: Workbench;
  readonly server: ServerProcess;
  readonly port: number;
  /** What a leaf prints that connects to the host, and the statements about the sandbox. */
  talk(leaf: string, host: string): Promise<string>;
  /** The same for a command that no tool file narrows. */
  shell(host: string): Promise<string>;
}

function toolFile(port: number): object {
  const leaf = (name: string, more: object) => ({ name, argv: [], description: `Connects as ${name}.`, ...more });
  return {
    command: "python3 client.py",
    name: "talk",
    description: "Connects to a host.",
    synchronous: true,
    network: [`${ONE}:${port}`],
    subcommand: [
      leaf("one", {}),
      leaf("two", { network: [`${TWO}:${port}`] }),
      leaf("three", { network: [`${ONE}:${port}`, `${THREE}:${port}`] }),
      leaf("outer", { network: [`${THREE}:${port}`] }),
      leaf("none", { network: "none" }),
      leaf("local", { network: "localhost" }),
      leaf("typed", { tty: true }),
    ],
  };
}

/** Its steps call a leaf, and a command line that no tool file narrows by itself. */
function sequenceFile(port: number): object {
  const words = (host: string) => [host, String(port)];
  return {
    command: "sequence",
    name: "steps",
    description: "Connects in steps.",
    synchronous: true,
    network: [`${TWO}:${port}`],
    sequence: [
      { tool: "talk", subcommand: "two", args: { args: words(TWO) } },
      { tool: "talk", subcommand: "one", args: { args: words(ONE) } },
      { tool: "sandboxed_shell", args: { command: `python3 client.py ${words(TWO).join(" ")}` } },
      { tool: "sandboxed_shell", args: { command: `python3 client.py ${words(ONE).join(" ")}` } },
    ],
  };
}

async function withTools(
  user: User,
  flagsFor: (port: number) => readonly string[],
  run: (started: Started) => Promise<void>,
): Promise<void> {
  using bench = new Workbench(user);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const answering = answerAll(listener);
  bench.write("client.py", CLIENT);
  bench.write(".ahma/tools/talk.json", JSON.stringify(toolFile(port)));
  bench.write(".ahma/tools/steps.json", JSON.stringify(sequenceFile(port)));
  {
    const hosts = [ONE, TWO, THREE];
    await using server = await ServerProcess.start(bench, {
      flags: ["--sync", ...flagsFor(port), ...hosts.flatMap((host) => ["--allow-private-hosts", host])],
      prefix: namesHere(bench, hosts.join(" ")),
      permissions: ["--allow-net"],
    });
    const told = ({ text }: { readonly text: string }) => text.replace(/\n\[exit code 0, [^\]]*\]/, "").trim();
    await run({
      bench,
      server,
      port,
      talk: async (leaf, host) => told(await server.call(`talk_${leaf}`, { args: [host, String(port)] })),
      shell: async (host) =>
        told(await server.call("sandboxed_shell", { command: `python3 client.py ${host} ${port}` })),
    });
  }
  listener.close();
  await answering;
}

async function answerAll(listener: Deno.TcpListener): Promise<void> {
  for await (const connection of listener) await connection.readable.pipeTo(connection.writable).catch(() => {});
}

const OF_FILE = 'is not on the list "network" of its tool file, where a person can add it.';

// Each user has networks made in its own way: one tries the lists of a server with a list, the other those without.
const [other = "ordinary"] = usersAtHand();

Deno.test("S43 each list of a tool file opens its hosts to its commands alone, as ordinary", async (test) => {
  await withTools("ordinary", (port) => ["--network", `${ONE}:${port},${TWO}:${port}`], async (started) => {
    await provesLists(started);
    await test.step("hosts that only the tool's list names stay closed and are reported, and no call fails for them", () =>
      provesClosed(started));
    await test.step("the list of a sequence holds for its steps, whatever theirs are", () => provesSequence(started));
  });
});

async function provesLists({ server, port, talk, shell }: Started): Promise<void> {
  // Round after round each command has its own list.
  for (let round = 0; round < 2; round++) {
    assert.equal(await talk("one", ONE), "answered");
    assert.equal(await talk("one", TWO), `gaierror\nSandbox: "${TWO}" ${OF_FILE}`);
    assert.equal(await talk("two", TWO), "answered");
    assert.equal(await talk("two", ONE), `gaierror\nSandbox: "${ONE}" ${OF_FILE}`);
  }
  assert.equal(await talk("typed", ONE), "answered");
  assert.match(await talk("typed", TWO), /^gaierror/);
  assert.equal(await shell(ONE), "answered");
  assert.equal(await shell(TWO), "answered");
  assert.match(await talk("none", ONE), /^(?:gaierror|PermissionError)/);
  assert.match(await talk("local", ONE), /^gaierror/);
  assert.match(await talk("local", "127.0.0.1"), /^ConnectionRefusedError/);
  assert.match(await talk("one", "127.0.0.1"), /^ConnectionResetError/);
  const together = await Promise.all([talk("one", ONE), talk("two", ONE), talk("two", TWO), talk("one", TWO)]);
  assert.deepStrictEqual(together.map((text) => /^\w+/.exec(text)?.[0]), [
    "answered",
    "gaierror",
    "answered",
    "gaierror",
  ]);
  // A connection is counted when the relay has seen both of its ends, which no result waits for.
  const one = new RegExp(`\nNetwork of tool files: ${ONE}:${port}\n  ${ONE}:${port}: ${2 + 1 + 1} connections`);
  const text = await until(
    async () => {
      const { text: said } = await server.call("status");
      return one.test(said) && said;
    },
    20_000,
    "the connections in the status",
  );
  assert.match(text, new RegExp(`\nNetwork of tool files: ${TWO}:${port}\n`));
}

async function provesClosed({ server, port, talk }: Started): Promise<void> {
  assert.equal(await talk("three", ONE), "answered");
  const refused =
    `gaierror\nSandbox: "${THREE}" is not on the list of --network. A person can allow it: start the server ` +
    `with --network ...,${THREE}.`;
  assert.equal(await talk("three", THREE), refused);
  assert.equal(await talk("outer", THREE), refused);
  assert.match(await talk("outer", ONE), new RegExp(`^gaierror\n.*${OF_FILE.slice(0, 30)}`));
  assert.match(
    (await server.call("status")).text,
    new RegExp(`talk\\.json:\\d+:\\d+: warning: ${THREE}:${port} is not on the list of --network and stays closed`),
  );
}

async function provesSequence({ server }: Started): Promise<void> {
  const { text } = await server.call("steps");
  const outcomes = text.split("\n").filter((line) => /^(?:answered|\w+Error|gaierror)$/.test(line));
  assert.deepStrictEqual(outcomes, ["answered", "gaierror", "answered", "gaierror"], text);
}

Deno.test(`S43 a list of a tool file holds where the server allows every network, as ${other}`, async () => {
  await withTools(other, () => [], async ({ talk, shell }) => {
    assert.equal(await shell("127.0.0.1"), "answered");
    assert.equal(await talk("one", ONE), "answered");
    assert.equal(await talk("two", TWO), "answered");
    assert.match(await talk("two", ONE), /^gaierror\n/);
    assert.match(await talk("one", "127.0.0.1"), /^ConnectionResetError/);
    assert.match(await talk("one", TWO), /^gaierror\n/);
    assert.match(await talk("none", ONE), /^(?:gaierror|PermissionError)/);
    assert.match(await talk("local", "127.0.0.1"), /^ConnectionRefusedError/);
    assert.equal(await shell("127.0.0.1"), "answered");
  });
});

Deno.test("S43 a server without a network opens none, whatever a tool file lists", async () => {
  await withTools("ordinary", () => ["--network", "none"], async ({ talk }) => {
    assert.match(await talk("one", ONE), /^PermissionError/);
    assert.match(await talk("local", "127.0.0.1"), /^PermissionError/);
  });
});

Deno.test("S43 the denial of a host that a tool file closes names the place in the file, and no flag", async () => {
  using bench = new Workbench("ordinary");
  bench.write("fail.py", "import sys\nprint('cannot reach', sys.argv[1])\nsys.exit(1)\n");
  const tool = { command: "python3 fail.py", description: "Fails.", synchronous: true };
  bench.write(".ahma/tools/none.json", JSON.stringify({ ...tool, name: "none", network: "none" }));
  bench.write(".ahma/tools/local.json", JSON.stringify({ ...tool, name: "local", network: "localhost" }));
  bench.write(".ahma/tools/list.json", JSON.stringify({ ...tool, name: "list", network: ["a.test"] }));
  await using server = await ServerProcess.start(bench);
  const told = async (name: string) => (await server.call(name, { args: ["http://x.test/"] })).text;
  assert.match(
    await told("none"),
    /\nSandbox: "x\.test" cannot be reached: commands of this tool file have no network \("network": "none"\)\.$/m,
  );
  assert.match(
    await told("local"),
    /: commands of this tool file reach nothing but their own loopback \("network": "localhost"\)\.$/m,
  );
  // The runtime was started without its permission for the network, as where a list comes after the start.
  assert.match(
    await told("list"),
    /Cannot start the command: this server gave up the network at its start, when no tool file listed hosts\. Start it again/,
  );
});

Deno.test("S43 a list that cannot be read, an empty one too, leaves the file out", async () => {
  using bench = new Workbench();
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [[], /"network" is of length 0, expected at least 1/],
    [[""], /"network" is of length 0, expected at least 1|Element 0 of "network"/],
    ["internet", /"network" is "internet", expected "none" or "localhost" or a list/],
    [["none"], /"network" cannot be used: "none" is neither the full name of a host/],
    [["*"], /"network" cannot be used: "\*" has a star/],
    [[7], /Element 0 of "network" is 7, expected a text/],
  ];
  const tool = { command: "true", description: "Does nothing.", synchronous: true };
  for (const [at, [network]] of cases.entries()) {
    bench.write(`wrong/${at}.json`, JSON.stringify({ ...tool, name: `tool${at}`, network }));
  }
  const { code, stdout } = await runProgram(bench, ["validate", "wrong"]);
  assert.equal(code, 1);
  for (const [at, [, problem]] of cases.entries()) {
    const told = stdout.split("\n").filter((line) => line.includes(`${at}.json:`)).join("\n");
    assert.match(told, problem, stdout);
  }
  const right = JSON.stringify({ ...tool, network: ["a.test"] });
  bench.write(".ahma/tools/tool.json", right);
  bench.write("tool.json", right);
  const told = await runProgram(bench, ["validate", "tool.json", "--network", "b.test"]);
  assert.match(
    told.stdout,
    /warning: a\.test:80,443 is not on the list of --network and stays closed: start the server with/,
  );
  const doctor = await runProgram(bench, ["doctor", "--network", "localhost"]);
  assert.match(doctor.stdout, /warning: a\.test:80,443 stays closed with --network localhost: start the server with/);
});
