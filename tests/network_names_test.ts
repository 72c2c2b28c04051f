/** The network by name: what a list opens, and that all else stays closed (S30, S31, S32). */
import assert from "node:assert/strict";
import { namesHere } from "./_support/names_here.ts";
import { SYSTEM_CALLS, THIS_PROCESSOR } from "../src/system/syscalls.ts";
import { HAS_COMPILER, NO_COMPILER } from "./_support/kernel/compiled.ts";
import { lyingKernel } from "./_support/kernel/lying_kernel.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { type User, usersAtHand, Workbench } from "./_support/workbench.ts";

/** Names of this machine while a server runs, as if they were in a network. */
const HOSTS = ["named", "other", "own", "any", "a.below", "deep.a.below", "below"].map(nameOf)
  .join(" ");
const NAMED = "named.example.test";
const ELSEWHERE = "169.254.169.254 metadata.example.test\n192.0.2.1 special.example.test\n";

const AF_INET6 = 10;
const EAFNOSUPPORT = 97;

/** Prints what comes of a connection: `python3 client.py HOST PORT [SERVER_NAME]`, with a name as TLS. */
const CLIENT = `
import socket, sys
host, port, *names = sys.argv[1:]
try:
    s = socket.create_connection((host, int(port)), 5)
    if names:
        import ssl
        c = ssl._create_unverified_context()
        s = c.wrap_socket(s, server_hostname=names[0], do_handshake_on_connect=False)
        try: s.do_handshake()
        except ConnectionError: raise
        except ssl.SSLError: print("answered"); sys.exit()
    s.sendall(b"hello\\n")
    print("answered" if s.recv(100) else "closed")
except OSError as e:
    print(type(e).__name__)
`;

/** Listens at this machine, answers all that comes, and remembers its bytes. */
class Recorder implements AsyncDisposable {
  readonly heard: string[] = [];
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #serving = this.#serve();

  get port(): number {
    return this.#listener.addr.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#serving;
  }

  async #serve(): Promise<void> {
    const answering: Promise<void>[] = [];
    for (;;) {
      const connection = await this.#listener.accept().catch((thrown) => {
        if (thrown instanceof Deno.errors.BadResource || thrown instanceof Deno.errors.Interrupted) return undefined;
        if (thrown instanceof Deno.errors.NotConnected) return "cut off" as const; // before it was taken
        throw thrown;
      });
      if (connection === undefined) break;
      if (connection !== "cut off") answering.push(this.#answer(connection));
    }
    await Promise.all(answering);
  }

  async #answer(connection: Deno.TcpConn): Promise<void> {
    using _ = connection;
    const bytes = new Uint8Array(4096);
    const length = await connection.read(bytes).catch(() => null);
    if (length === null) return;
    this.heard.push(new TextDecoder("latin1").decode(bytes.subarray(0, length)));
    await connection.write(new TextEncoder().encode("hello too\n")).catch(() => {});
  }
}

interface Started {
  readonly bench: Workbench;
  readonly recorder: Recorder;
  readonly server: ServerProcess;
  /** What the client prints, and the statements about the sandbox. */
  connect(...words: readonly (string | number)[]): Promise<string>;
}

/** A server with a list, and with a log outside of the scope. */
async function withNames(user: User, run: (started: Started) => Promise<void>): Promise<void> {
  using bench = new Workbench(user);
  bench.write("client.py", CLIENT);
  await using recorder = new Recorder();
  await using server = await ServerProcess.start(bench, {
    flags: [...listFor(recorder.port), "--audit-log", logOf(bench)],
    prefix: namesHere(bench, HOSTS, ELSEWHERE),
    permissions: ["--allow-net"],
  });
  const connect = async (...words: readonly (string | number)[]) =>
    (await server.shell(`python3 client.py ${words.join(" ")}`)).text
      .replace(/\n\[exit code 0, [^\]]*\]/, "").trim(); // of a command that took longer
  await run({ bench, recorder, server, connect });
}

function listFor(port: number): readonly string[] {
  const listed = [NAMED, "*.below.example.test", ...["own", "nowhere", "special", "metadata"].map(nameOf)];
  const entries = [...listed.map((name) => `${name}:${port}`), `any.example.test:${port}/any`];
  const allowed = ["named", "any", "a.below", "deep.a.below", "below", "metadata"]
    .flatMap((one) => ["--allow-private-hosts", nameOf(one)]);
  return ["--network", entries.join(","), ...allowed];
}

function nameOf(one: string): string {
  return `${one}.example.test`;
}

function logOf({ home }: Workbench): string {
  return `${home}/audit.log`;
}

for (const user of usersAtHand()) {
  Deno.test(`S30 S31 a list opens its names on their ports, and nothing else, as ${user}`, async (test) => {
    await withNames(user, async (started) => {
      await provesList(started);
      // What the relay decides is alike for every user.
      if (user === "root") return;
      await test.step("a listed name that leads to this machine is refused unless a person named it", () =>
        provesOwnAddress(started));
      await test.step("a listed name without an address fails at its look-up, and the result says why", () =>
        provesNoAddress(started));
      await test.step("a denial names a flag only if the flag opens the address", () => provesSpecial(started));
      await test.step("TLS reaches a server only under the name that was looked up, and /any lifts that limit", () =>
        provesTls(started));
      await test.step("commands of a session reach each other's servers, and a person's log has each connection", () =>
        provesLog(started));
    });
  });
}

async function provesList({ recorder, server, connect }: Started): Promise<void> {
  const { port } = recorder;
  assert.equal(await connect(NAMED, port), "answered");
  assert.equal(await connect("NAMED.example.test.", port), "answered");
  assert.equal(await connect("a.below.example.test", port), "answered");
  assert.equal(await connect("deep.a.below.example.test", port), "answered");
  const open = recorder.heard.length;
  assert.equal(open, 4);
  assert.equal(
    await connect("other.example.test", port),
    'gaierror\nSandbox: "other.example.test" is not on the list of --network. A person can allow it: start the ' +
      "server with --network ...,other.example.test.",
  );
  assert.match(await connect("below.example.test", port), /^gaierror\nSandbox: "below\.example\.test" is not on/);
  assert.match(await connect(NAMED, port === 9 ? 10 : 9), /^ConnectionRefusedError/);
  assert.match(
    await connect("127.0.0.1", port),
    /^ConnectionResetError\nSandbox: "127\.0\.0\.1:\d+" is the loopback of commands/,
  );
  assert.match(await connect("203.0.113.1", port), /^OSError/);
  assert.match(
    await connect("198.19.255.254", port),
    /^(?:closed|ConnectionResetError)\nSandbox: "198\.19\.255\.254:/,
  );
  const fetched = async (url: string) =>
    (await server.shell(`python3 -c 'import urllib.request as u; u.urlopen("${url}")'`)).text;
  assert.match(
    await fetched(`http://${NAMED}:9/`),
    /\nSandbox: "named\.example\.test:9" is not on the list of --network\./,
  );
  assert.match(
    await fetched("http://203.0.113.1/"),
    /\nSandbox: "203\.0\.113\.1:80" is not on the list of --network\./,
  );
  assert.equal(recorder.heard.length, open);
  const status = (await server.call("status", { limit: 20 })).text;
  assert.match(status, new RegExp(`\n  named\\.example\\.test:${port}: 2 connections, 12 bytes out, 20 in\n`));
  assert.match(status, /: python3 client\.py a\.below\S+ \d+ \(network: 6 bytes out, 10 in\)\n/);
  assert.match(status, /: python3 client\.py other\S+ \d+ \(network: \d refused\)\n/);
  assert.match(status, /\n {2}other\.example\.test: \d refused: is not on the list of --network\n/);
  assert.match(status, /\nSelf-test: \d+ attacks denied in \d+ ms(?:;|\n)/);
}

async function provesOwnAddress({ recorder, connect }: Started): Promise<void> {
  const open = recorder.heard.length;
  const refused = `gaierror\nSandbox: "own.example.test" leads to an address of this machine. ` +
    "A person can allow it: start the server with --allow-private-hosts own.example.test.";
  assert.equal(await connect("own.example.test", recorder.port), refused);
  assert.equal(recorder.heard.length, open);
}

async function provesNoAddress({ recorder: { port }, connect }: Started): Promise<void> {
  assert.equal(
    await connect("nowhere.example.test", port),
    'gaierror\nSandbox: "nowhere.example.test" has no address.',
  );
  // A command chose this name: it leaves the machine only with a connection.
  assert.match(
    await connect("chosen.below.example.test", port, "chosen.below.example.test"),
    /^(?!gaierror)[^]*\nSandbox: "chosen\.below\.example\.test:\d+" has no address\.$/,
  );
}

async function provesSpecial({ recorder: { port }, connect }: Started): Promise<void> {
  assert.match(
    await connect("special.example.test", port),
    /" leads to an address for special use\. A person can allow it: .* --allow-private-hosts special\.example\.test\.$/,
  );
  assert.match(
    await connect("metadata.example.test", port),
    /" leads to an address where a cloud keeps secrets of its machines\.$/,
  );
}

async function provesTls({ recorder, connect }: Started): Promise<void> {
  const { port } = recorder;
  assert.equal(await connect(NAMED, port, NAMED), "answered");
  const open = recorder.heard.length;
  const other = await connect(NAMED, port, "other.example.test");
  assert.match(
    other,
    /\nSandbox: "named\.example\.test:\d+" was not asked for by that name: TLS names "other\.example\.test"\./,
  );
  assert.match(await connect(NAMED, port, "127.0.0.1"), /was not asked for by that name: TLS names no server\./);
  assert.equal(recorder.heard.length, open);
  assert.equal(await connect("any.example.test", port, "other.example.test"), "answered");
  assert.equal(recorder.heard.length, open + 1);
}

async function provesLog({ bench, recorder, server }: Started): Promise<void> {
  const up = await server.call("sandboxed_shell", { command: "python3 -m http.server 8123", until_port: 8123 });
  assert.match(up.text, /^op_\w+/);
  const fetched =
    "python3 -c 'import urllib.request as u; print(u.urlopen(\"http://127.0.0.1:8123/client.py\").status)'";
  assert.match((await server.shell(fetched)).text, /^200\n/);
  const id = /op_\w+/.exec(
    (await server.start(`python3 client.py ${NAMED} ${recorder.port}; python3 client.py x.test 80`)).text,
  )?.[0];
  await server.call("await", { id });
  const lines = (await Deno.readTextFile(logOf(bench))).trim().split("\n").map((line) => JSON.parse(line));
  const [used, refused] = lines.filter((one) => one.event === "network" && one.operation === id).map((
    { time: _, session: __, ...rest },
  ) => rest);
  assert.deepStrictEqual(used, {
    event: "network",
    operation: id,
    tool: "sandboxed_shell",
    name: NAMED,
    port: recorder.port,
    address: "127.0.0.1",
    bytes_out: 6,
    bytes_in: 10,
  });
  assert.deepStrictEqual({ ...refused, time: 0 }, {
    event: "network",
    operation: id,
    tool: "sandboxed_shell",
    name: "x.test",
    refused: "is not on the list of --network",
    time: 0,
  });
}

Deno.test("S31 a look-up that takes long is left to the connection", async () => {
  using bench = new Workbench("ordinary");
  bench.write(
    "slow.py",
    `import socket
s = socket.create_connection(("${NAMED}", 443))
open("connected", "w").close()
try: print(s.recv(1) and "answered")
except OSError as e: print("cut off")
`,
  );
  const prefix = namesHere(bench, HOSTS);
  // A program that reads the names waits until they can be written, and finds none, as often as it asks.
  const [hosts, connected] = [`${bench.parent}/hosts`, `${bench.scope}/connected`];
  await Deno.remove(hosts);
  for (const pipe of [hosts, connected]) {
    assert.ok((await new Deno.Command("mkfifo", { args: ["--mode=666", pipe] }).output()).success);
  }
  const flags = ["--sync", "--network", NAMED];
  await using server = await ServerProcess.start(bench, { flags, prefix, permissions: ["--allow-net"] });
  const answer = server.call("sandboxed_shell", { command: "python3 slow.py; rm connected" });
  await Deno.readTextFile(connected);
  const answering = new Deno.Command("sh", { args: ["-c", 'while :; do : > "$0"; done', hosts] }).spawn();
  try {
    assert.equal(
      (await answer).text.replace(/\n\[exit code 0, [^\]]*\]/, "").trim(),
      `cut off\nSandbox: "${NAMED}:443" has no address.`,
    );
  } finally {
    answering.kill("SIGKILL");
    await answering.status;
  }
});

/** Opens more connections than the server has descriptors for, and tells what becomes of them. */
const MANY = `
import select, socket, sys
place = socket.gethostbyname(sys.argv[1]), int(sys.argv[2])
held, cut = [], 0
for _ in range(150):
    try: held.append(socket.create_connection(place, 20))
    except ConnectionResetError: cut += 1  # before the program had it
ended, _, _ = ([], [], []) if cut else select.select(held, [], [], 20)
print("some were cut off" if cut or ended else "all wait")
kept = held[0]
kept.sendall(b"hello")
print("answered" if kept.recv(100) else "closed")
`;

Deno.test(
  `S30 where no process gets sockets of IPv6, a list opens its names over IPv4; connections for which the server has no descriptors are cut off, and all others continue${NO_COMPILER}`,
  {
    ignore: !HAS_COMPILER,
  },
  async () => {
    using bench = new Workbench("ordinary");
    await using recorder = new Recorder();
    bench.write("client.py", CLIENT);
    bench.write("many.py", MANY);
    const lying = await lyingKernel(bench);
    const refused = lying([{ call: SYSTEM_CALLS[THIS_PROCESSOR].socket, errno: EAFNOSUPPORT, first: AF_INET6 }]);
    await using server = await ServerProcess.start(bench, {
      flags: ["--sync", "--network", `${NAMED}:${recorder.port}`, "--allow-private-hosts", NAMED],
      prefix: ["prlimit", "--nofile=200:200", ...namesHere(bench, HOSTS), ...refused],
      permissions: ["--allow-net"],
    });
    const asked = 'import socket; print([place[0].name for place in socket.getaddrinfo("' + NAMED + '", 1, type=1)])';
    const command = `python3 client.py ${NAMED} ${recorder.port}; python3 -c '${asked}'`;
    assert.match((await server.call("sandboxed_shell", { command })).text, /^answered\n\['AF_INET'\]\n/);
    const { text } = await server.shell(`python3 many.py ${NAMED} ${recorder.port}`, { timeout_seconds: 60 });
    assert.match(text, /^some were cut off\nanswered\n/);
  },
);

Deno.test("S32 a server that cannot hold commands to a list does not start, and says why", async () => {
  using bench = new Workbench("ordinary");
  const start = (flags: readonly string[], prefix: readonly string[] = []) =>
    ServerProcess.start(bench, { flags, prefix, permissions: ["--allow-net"] }).then(
      () => "started",
      (error: Error) => error.message,
    );
  const lacking = [
    "unshare",
    "--user",
    "--map-current-user",
    "--keep-caps",
    "sh",
    "-c",
    'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --ambient-caps=-all --inh-caps=-all "$@"',
    "sh",
  ];
  assert.match(
    await start(["--network", NAMED], lacking),
    /Cannot restrict commands to the names of --network on this system/,
  );
  assert.match(await start(["--network", NAMED, "--unix-sockets", "allow"]), /Cannot restrict commands to the names/);
});
