/** The network by name when its server dies, between sessions whose projects narrow it differently, and when a command ends (S30, S31). */
import assert from "node:assert/strict";
import { until, withDeadline } from "./_support/deadline.ts";
import { namesHere } from "./_support/names_here.ts";
import { processesWith } from "./_support/processes.ts";
import { HttpClient } from "./_support/clients/http_client.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { usersAtHand, Workbench } from "./_support/workbench.ts";

const NAMES = ["first.example.test", "second.example.test"] as const;

function flagsFor(port: number): readonly string[] {
  return [
    "--network",
    NAMES.map((name) => `${name}:${port}`).join(","),
    "--allow-private-hosts",
    NAMES.join(","),
  ];
}

for (const user of usersAtHand()) {
  Deno.test(`S30 X10 connections end with their command, and with a server that is killed, and no command is left, as ${user}`, async () => {
    using bench = new Workbench(user);
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    await using server = await ServerProcess.start(bench, {
      flags: flagsFor(listener.addr.port),
      prefix: namesHere(bench, NAMES.join(" ")),
      permissions: ["--allow-net"],
    });
    // What the server itself keeps is alike for every user.
    if (user === "ordinary") await endsWithItsCommand(bench, server, listener);
    const seed = crypto.randomUUID();
    bench.write(
      "client.py",
      `import socket, sys
peer = socket.create_connection((sys.argv[1], ${listener.addr.port}))
peer.sendall(b"hello")
while True:
  peer.recv(100)
  try: peer = socket.create_connection((sys.argv[1], ${listener.addr.port}), 1)
  except OSError: pass
`,
    );
    await server.start(`python3 client.py ${NAMES[0]} ${seed}`);
    using connection = await withDeadline(listener.accept(), 20_000, "the command to connect");
    const bytes = new Uint8Array(100);
    assert.equal(await connection.read(bytes), 5);
    assert.notDeepStrictEqual(await processesWith(seed), []);
    server.kill("SIGKILL");
    const end = await withDeadline(
      connection.read(bytes).catch((error: Error) => error.name),
      20_000,
      "the connection to end",
    );
    assert.ok(end === null || end === "ConnectionReset", String(end));
    await until(async () => (await processesWith(seed)).length === 0, 20_000, "the command to end");
    // Ours comes after all that came before.
    using ours = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
    using next = await listener.accept();
    assert.deepStrictEqual(next.remoteAddr, ours.localAddr);
  });
}

/** Also where the host closes none of them. */
async function endsWithItsCommand(bench: Workbench, server: ServerProcess, listener: Deno.TcpListener): Promise<void> {
  const many = `import socket; socket.setdefaulttimeout(20)
kept = [socket.create_connection(("${NAMES[0]}", ${listener.addr.port})) for _ in range(20)]
kept[0].sendall(b"to be delivered")`;
  const descriptors = () => [...Deno.readDirSync(`/proc/${server.pid}/fd`)].length;
  await server.shell("true");
  const before = descriptors();
  bench.write("many.py", many);
  assert.equal((await server.shell("python3 many.py")).text, "[no output]");
  await until(() => descriptors() < before + 20, 20_000, "the connections of the command are closed");
  using first = await listener.accept();
  for (let others = 1; others < 20; others++) (await listener.accept()).close();
  assert.equal((await first.readable.getReader().read()).value?.length, "to be delivered".length);
}

Deno.test("S30 S31 H3 sessions whose projects narrow the list differently reach the hosts of their own list alone, and none that the server does not list", async () => {
  using bench = new Workbench("ordinary");
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const heard: string[] = [];
  const serving = (async () => {
    for await (const connection of listener) {
      using _ = connection;
      const bytes = new Uint8Array(100);
      heard.push(new TextDecoder().decode(bytes.subarray(0, await connection.read(bytes) ?? 0)));
    }
  })();
  const client = `import socket, sys
try:
  with socket.create_connection((sys.argv[1], ${port})) as peer:
    peer.sendall(" ".join(sys.argv[1:]).encode())
    peer.recv(100)
except OSError as error: print(error)
`;
  for (const [at, name] of NAMES.entries()) {
    bench.write(`${at}/client.py`, client);
    bench.write(`${at}/.ahma/tools/lists.json`, JSON.stringify(toolFor(`${name}:${port}`)));
  }
  const flags = ["--session-isolation", "--max-sessions", "2", "--require-token", ...flagsFor(port)];
  await using server = await HttpServerProcess.start(bench, { flags, prefix: namesHere(bench, NAMES.join(" ")) });
  const token = (await Deno.readTextFile(`${bench.home}/.local/state/ahma/http_token`)).trim();
  const headers = { authorization: `Bearer ${token}` };
  const session = (at: number) => HttpClient.connect(server, { roots: [`${bench.scope}/${at}`], headers });
  await using first = await session(0);
  await using second = await session(1);
  await Promise.all(
    [first, second].flatMap((one, at) =>
      NAMES.map((name) => one.call("lists_run", { args: [`python3 client.py ${name} session${at}`] }))
    ),
  );
  // What no tool file narrows reaches the server's list, and no other host.
  const { text } = await first.shell(`for h in ${NAMES[1]} other.example.test; do python3 client.py $h shell; done`);
  assert.match(text, /"other\.example\.test" is not on the list of --network/);
  listener.close();
  await serving;
  assert.deepStrictEqual(heard.toSorted(), [
    `${NAMES[0]} session0`,
    `${NAMES[1]} session1`,
    `${NAMES[1]} shell`,
  ]);
});

/** A tool that runs a line behind a list. */
function toolFor(entry: string): object {
  return {
    name: "lists",
    command: "bash -c",
    description: "Runs a line.",
    synchronous: true,
    subcommand: [{ name: "run", network: [entry], argv: [], description: "Runs it." }],
  };
}
