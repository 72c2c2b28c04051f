/** Ports of commands that a person reaches at the loopback of the machine (S34). */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { holdingsOf } from "./_support/processes.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { freePort } from "./_support/servers/listening.ts";
import { type User, withUsersInTurn, Workbench } from "./_support/workbench.ts";

/** Where commands listen, in every session. */
const INSIDE = 5173;

/** Answers a connection whose other end sends no more: how much came, and as much back. */
const ECHO = `
import socket, sys, threading
one = socket.create_server((sys.argv[1], ${INSIDE}), family=10 if ":" in sys.argv[1] else 2, backlog=512)
def serve(peer):
  data = b""
  while more := peer.recv(1 << 20): data += more
  peer.sendall(sys.argv[2].encode() + b" %d\\n" % len(data) + data[::-1])
  peer.close()
while True: threading.Thread(target=serve, args=(one.accept()[0],)).start()
`;

/** Runs the echo in a network of its own. */
const NARROW = {
  command: "python3 echo.py",
  name: "narrow",
  description: "Answers.",
  network: "localhost",
  subcommand: [{ name: "run", argv: [], description: "Answers.", until_port: INSIDE }],
};

interface Session extends AsyncDisposable {
  readonly server: ServerProcess;
  /** Starts the echo, and gives the answer of the call, which ends when it listens. */
  listen(address?: string, name?: string): Promise<string>;
}

async function session(
  flags: readonly string[],
  user: User = "ordinary",
  prepare: (bench: Workbench) => void = () => {},
): Promise<Session> {
  const bench = new Workbench(user);
  try {
    prepare(bench);
    bench.write("echo.py", ECHO);
    bench.write(".ahma/tools/narrow.json", JSON.stringify(NARROW));
    const server = await ServerProcess.start(bench, { flags, permissions: ["--allow-net"] });
    return {
      server,
      listen: async (address = "127.0.0.1", name = "echo") =>
        (await server.call("sandboxed_shell", {
          command: `python3 echo.py ${address} ${name}`,
          until_port: INSIDE,
          timeout_seconds: 300,
        })).text,
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]();
        bench[Symbol.dispose]();
      },
    };
  } catch (thrown) {
    bench[Symbol.dispose]();
    throw thrown;
  }
}

/** What a person is answered by the echo; the name of an error where nothing answers. */
async function ask(port: number, words: Uint8Array<ArrayBuffer> | string, hostname = "127.0.0.1"): Promise<string> {
  try {
    using connection = await Deno.connect({ hostname, port });
    const sent = (async () => {
      await new Blob([words]).stream().pipeTo(connection.writable, { preventClose: true });
      await connection.closeWrite();
    })();
    const [answer] = await Promise.all([new Response(connection.readable).bytes(), sent]);
    return new TextDecoder("latin1").decode(answer);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.name : String(thrown);
  }
}

function idOf(text: string): string {
  return /^op_\w+/.exec(text)?.[0] ?? "";
}

/** A network that a tool file can narrow. */
const NAMED = "named.example.test:8443";
const CLOSED = /^(?:ConnectionReset|BrokenPipe)$/;

/** A server of a tool file with a network of its own is not published, and not said to be. */
async function assertNarrowIsApart(server: ServerProcess, port: number): Promise<void> {
  const { text } = await server.call("narrow_run", { args: ["127.0.0.1", "narrow"] });
  assert.match(text, /and listens at port 5173\. /);
  assert.match((await server.call("status")).text, /-> 5173 \(no command listens\)/);
  assert.match(await ask(port, "abc"), CLOSED);
  await server.call("cancel", { id: idOf(text) });
}

for (const [network, user] of withUsersInTurn(["localhost", NAMED])) {
  Deno.test(`S34 S43 a person reaches a server of commands with --network ${network}, as ${user}`, async () => {
    const port = freePort();
    const flags = ["--network", network, "--publish", `${port}:${INSIDE}`, "--no-pool", "--log-to-stderr"];
    await using one = await session(flags, user);
    const { server } = one;
    for (let times = 0; times < 3; times++) assert.match(await ask(port, "early"), CLOSED);
    assert.match(
      (await server.call("status")).text,
      new RegExp(`\nPublished: 127\\.0\\.0\\.1:${port} -> 5173 \\(no`),
    );

    if (network === NAMED) await assertNarrowIsApart(server, port);
    const first = await one.listen();
    assert.ok(
      first.includes(`and listens at port 5173, which the person can open at http://127.0.0.1:${port}. `),
      first,
    );
    assert.match((await server.call("status")).text, new RegExp(`:${port} -> 5173 \\(a command listens\\)\n`));
    const { children } = await holdingsOf(server.pid);
    assert.equal(await ask(port, "abc"), "echo 3\ncba");
    assert.equal(await ask(port, "abc", "::1"), "echo 3\ncba");
    const inside =
      `python3 -c 'import socket as s; c=s.create_connection(("127.0.0.1",${INSIDE})); c.send(b"in"); c.shutdown(1); print(c.recv(99))'`;
    assert.match((await server.shell(inside)).text, /^b'echo 2\\n/);

    const many = await Promise.all(Array.from({ length: 64 }, (_, at) => ask(port, `number ${at}`)));
    const reversed = (text: string) => text.split("").toReversed().join("");
    assert.deepStrictEqual(
      many,
      many.map((_, at) => `echo ${`number ${at}`.length}\n${reversed(`number ${at}`)}`),
    );
    const large = new Uint8Array(8 * 1024 * 1024).fill(0x78);
    assert.equal((await ask(port, large)).length, `echo ${large.length}\n`.length + large.length);
    const isQuiet = async () => (await holdingsOf(server.pid)).children.join() === children.join();
    await until(isQuiet, 20_000, "all that made sockets to be gone");

    await server.call("cancel", { id: idOf(first) });
    for (let times = 0; times < 3; times++) assert.match(await ask(port, "late"), CLOSED);
    await one.listen("::1", "again");
    assert.equal(await ask(port, "abc"), "again 3\ncba");
    const told = server.stderr.split("\n").filter((line) => line.includes("a published port was closed"));
    assert.equal(told.length, 2, server.stderr);
  });
}

Deno.test("S34 L7 sessions have ports of their own or none, by a flag or the user's settings file and not a project's, a taken one is refused, and a killed server leaves none", async () => {
  const [port, other, never] = [freePort(), freePort(), freePort()];
  const flags = (own: number) => ["--network", "localhost", "--publish", `${own}:${INSIDE}`];
  await using one = await session(flags(port));
  await using two = await session([], "ordinary", (bench) => {
    const settings = { network: "localhost", publish: [`${other}:${INSIDE}`] };
    bench.write(`${bench.home}/.config/ahma/settings.json`, JSON.stringify(settings));
    bench.write(".ahma/settings.json", JSON.stringify({ publish: [never] }));
  });
  await Promise.all([one.listen("127.0.0.1", "one"), two.listen("127.0.0.1", "two")]);
  assert.deepStrictEqual(await Promise.all([ask(port, ""), ask(other, "")]), ["one 0\n", "two 0\n"]);
  assert.match(
    (await two.server.call("status")).text,
    new RegExp(`\nPublished: 127\\.0\\.0\\.1:${other} -> ${INSIDE} \\([^)]*\\)\n`),
  );
  assert.equal(await ask(never, ""), "ConnectionRefused");
  assert.match(two.server.stderr, /a project may not set "publish"/);
  // The control: at their own port, which is not published, servers of commands are in their own network only.
  assert.equal(await ask(INSIDE, "abc"), "ConnectionRefused");
  await assert.rejects(session(flags(port)), (error: Error) => {
    const problem = `Cannot publish port ${port}: another program listens at 127.0.0.1:${port}. ` +
      `Choose another port of this machine, as in --publish ${(port + 1) % 65_536 || 1024}:${INSIDE}\n`;
    assert.ok(error.message.includes(problem), error.message);
    return true;
  });
  one.server.kill("SIGKILL");
  await one.server.exit();
  await one.server.nothingLeft();
  assert.equal(await ask(port, ""), "ConnectionRefused");
  await using three = await session(flags(port));
  await three.listen("127.0.0.1", "three");
  assert.equal(await ask(port, ""), "three 0\n");
});

// What else is refused: src/settings/flags/published_ports_test.ts.
Deno.test("S34 a port that nothing can be published at is refused with the way out, and full needs none", async () => {
  await assert.rejects(
    session(["--network", "none", "--publish", "5173"]),
    /^Cannot publish port 5173 with --network none, where commands cannot listen\. Use --network localhost, or a list of hosts$/m,
  );
  const port = freePort();
  await using one = await session(["--publish", `${port}:${INSIDE}`, "--log-to-stderr"]);
  const isSaid = () => one.server.stderr.includes("--publish is not needed: commands listen on this machine itself");
  await until(isSaid, 20_000, "the warning");
  assert.equal(await ask(port, ""), "ConnectionRefused");
});

Deno.test("S34 without namespaces commands have no network to publish, and status says so", async () => {
  using bench = new Workbench("ordinary");
  const port = freePort();
  await using server = await ServerProcess.start(bench, {
    flags: ["--network", "localhost", "--publish", `${port}:${INSIDE}`],
    prefix: [
      ...["unshare", "--user", "--map-current-user", "--keep-caps", "sh", "-c"],
      'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --ambient-caps=-all --inh-caps=-all "$@"',
      "sh",
    ],
  });
  assert.match((await server.call("status")).text, /-> 5173 \(commands share no network here\)\n/);
  assert.match(await ask(port, "abc"), CLOSED);
});

Deno.test("S34 H3 isolated sessions cannot share a port of the machine, and the start says so", async () => {
  using bench = new Workbench("ordinary");
  const flags = ["--network", "localhost", "--publish", "5173", "--session-isolation"];
  await assert.rejects(
    HttpServerProcess.start(bench, { flags }),
    /Cannot publish port 5173 with --session-isolation: sessions have networks of their own, and only one could have it/,
  );
});
