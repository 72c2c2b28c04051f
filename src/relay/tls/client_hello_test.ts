import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fc from "fast-check";
import { concatenate } from "../../base/bytes.ts";
import { encodeText } from "../../base/text.ts";
import { isSameName, LONGEST_CLIENT_HELLO, readServerName, type ServerName } from "./client_hello.ts";

function uint(value: number, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => (value >> (8 * (size - 1 - at))) & 0xff);
}

function sized(size: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = concatenate(parts);
  return concatenate([uint(content.length, size), content]);
}

function extension(type: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return concatenate([uint(type, 2), sized(2, ...parts)]);
}

/** The extension with names, each of a type, by default that of a host. */
function serverNames(...names: readonly (string | Uint8Array)[]): Uint8Array {
  const entries = names.map((name) =>
    typeof name === "string"
      ? concatenate([uint(0, 1), sized(2, Uint8Array.from(name, (character) => character.charCodeAt(0)))])
      : name
  );
  return extension(0, sized(2, ...entries));
}

const VERSIONS = extension(43, sized(1, uint(0x0304, 2), uint(0x0303, 2)));

/** A message with these extensions, by default one that names `github.com`. */
function hello(...extensions: readonly Uint8Array[]): Uint8Array {
  const list = extensions.length === 0 ? [VERSIONS, serverNames("github.com")] : extensions;
  const start = [uint(0x0303, 2), new Uint8Array(32), sized(1, new Uint8Array(32)), sized(2, uint(0x1301, 2))];
  return concatenate([uint(1, 1), sized(3, ...start, sized(1, uint(0, 1)), sized(2, ...list))]);
}

/** A message in records of at most `size` bytes. */
function records(message: Uint8Array, size = 16_384): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < message.length; at += size) {
    parts.push(concatenate([Uint8Array.of(22, 3, 1), sized(2, message.subarray(at, at + size))]));
  }
  return concatenate(parts);
}

function read(...extensions: readonly Uint8Array[]): ServerName {
  return readServerName(records(hello(...extensions)));
}

const GITHUB: ServerName = { state: "name", name: "github.com" };

Deno.test("S31 the server name is known once its message is whole, in whatever parts it comes", () => {
  for (const size of [16_384, 100, 40, 7]) {
    const bytes = records(hello(), size);
    for (let end = 0; end < bytes.length; end++) {
      assert.deepStrictEqual(readServerName(bytes.subarray(0, end)), { state: "more" }, `${size}, ${end}`);
    }
    assert.deepStrictEqual(readServerName(bytes), GITHUB);
    assert.deepStrictEqual(readServerName(concatenate([bytes, encodeText("what follows")])), GITHUB);
  }
  assert.deepStrictEqual(read(VERSIONS), { state: "none" });
  assert.deepStrictEqual(read(serverNames("GitHub.COM"), VERSIONS), GITHUB);
});

Deno.test("S31 a message without extensions names no server", () => {
  const old = hello(VERSIONS).subarray(4, 4 + 2 + 32 + 33 + 4 + 2);
  assert.deepStrictEqual(readServerName(records(concatenate([uint(1, 1), sized(3, old)]))), { state: "none" });
});

Deno.test("S31 a name that servers could read differently is refused", () => {
  const names = {
    "two names": serverNames("github.com", "evil.example"),
    "a name of another type": serverNames(concatenate([uint(1, 1), sized(2, encodeText("github.com"))])),
    "no name": serverNames(),
    "an empty name": serverNames(""),
    "a dot at the end": serverNames("github.com."),
    "NUL": serverNames("github.com\0.evil.example"),
    "NUL at the end": serverNames("github.com\0"),
    "a control character": serverNames("github.com\n"),
    "a space": serverNames("github.com "),
    "not ASCII": serverNames("g\xeethub.com"),
    "a star": serverNames("*.github.com"),
    "a port": serverNames("github.com:443"),
    "an IPv4 address": serverNames("127.0.0.1"),
    "a number": serverNames("2130706433"),
    "an IPv6 address": serverNames("::1"),
    "254 characters": serverNames(`${"a.".repeat(126)}aa`),
    "bytes behind the list": extension(0, sized(2, uint(0, 1), sized(2, encodeText("github.com"))), uint(0, 1)),
    "a list that is cut": extension(0, uint(20, 2), uint(0, 1), sized(2, encodeText("github.com"))),
    "an empty extension": extension(0),
    "a name that is cut": extension(0, sized(2, uint(0, 1), uint(11, 2), encodeText("github.com"))),
  };
  const taken = Object.entries(names).filter(([, name]) => read(VERSIONS, name).state !== "invalid");
  assert.deepStrictEqual(taken, []);
  assert.deepStrictEqual(read(serverNames("github.com"), serverNames("evil.example")), {
    state: "invalid",
    reason: "names the server twice",
  });
  assert.strictEqual(read(serverNames("evil.example"), serverNames("evil.example")).state, "invalid");
});

Deno.test("S31 an encrypted server name is told, whatever the outer one is", () => {
  const inner = extension(
    0xfe0d,
    uint(0, 1),
    uint(1, 2),
    uint(1, 2),
    uint(7, 1),
    sized(2),
    sized(2, new Uint8Array(64)),
  );
  assert.deepStrictEqual(read(serverNames("github.com"), inner), { state: "encrypted" });
  assert.deepStrictEqual(read(inner), { state: "encrypted" });
  assert.deepStrictEqual(read(extension(0xffce), serverNames("github.com")), { state: "encrypted" });
});

Deno.test("S31 what is not a whole, well-formed first message of a client is refused", () => {
  const whole = hello();
  const wrong = {
    "another message": records(concatenate([uint(2, 1), whole.subarray(1)])),
    "a message of 16 MB": records(concatenate([uint(1, 1), uint(0xffffff, 3), whole.subarray(4)])),
    "a record of no bytes": concatenate([Uint8Array.of(22, 3, 1, 0, 0), records(whole)]),
    "a record that is too long": concatenate([Uint8Array.of(22, 3, 1, 0x40, 1), whole]),
    "an alert between": concatenate([records(whole.subarray(0, 40)), Uint8Array.of(21, 3, 3, 0, 2, 1, 0)]),
    "33 records": records(whole, 1),
    "extensions that are cut": records(concatenate([uint(1, 1), sized(3, whole.subarray(4, -1))])),
    "bytes behind the extensions": records(concatenate([uint(1, 1), sized(3, whole.subarray(4), uint(0, 1))])),
    "an extension that is cut": records(hello(serverNames("github.com"), Uint8Array.of(0, 43, 0, 9, 8))),
    "an extension without a length": records(hello(serverNames("github.com"), Uint8Array.of(0, 43, 0))),
    "no random bytes": records(concatenate([uint(1, 1), sized(3, uint(0x0303, 2))])),
  };
  assert.deepStrictEqual(Object.entries(wrong).filter(([, bytes]) => readServerName(bytes).state !== "invalid"), []);
  const others = [
    "GET / HTTP/1.1\r\n",
    "SSH-2.0-OpenSSH_9.2\r\n",
    "\x80\x2e\x01\x03\x01",
    "\x15\x03\x01\0\x02",
    "\x16\x01\0",
  ];
  assert.deepStrictEqual(others.map((text) => readServerName(encodeText(text)).state), others.map(() => "not-tls"));
});

Deno.test("S31 no bytes make the reader throw, wait for more than its bound, or take another name for the asked one", () => {
  const whole = records(hello(), 60);
  const changed = fc.tuple(fc.nat(), fc.nat(255), fc.nat(whole.length)).map(([at, byte, end]) => {
    const bytes = whole.slice();
    bytes[at % bytes.length] = byte;
    return bytes.subarray(0, end);
  });
  const begun = fc.uint8Array({ maxLength: 300 }).map((rest) =>
    concatenate([Uint8Array.of(22, 3, 1, 1, 0, 1, 0, 0), rest])
  );
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), changed, begun), (bytes) => {
      const found = readServerName(bytes);
      if (found.state === "name") assert.match(found.name, /^[a-z0-9_.-]{1,253}$/);
      if (found.state === "invalid") assert.notStrictEqual(found.reason, "");
    }),
    { numRuns: 5000 },
  );
  const largest = concatenate([uint(1, 1), sized(3, new Uint8Array(16_384))]);
  const states = [512, 513, 16_384].map((size) => {
    const bytes = records(largest, size);
    return [bytes.length <= LONGEST_CLIENT_HELLO, readServerName(bytes.subarray(0, -1)).state];
  });
  assert.deepStrictEqual(states, [[false, "invalid"], [true, "more"], [true, "more"]]);
});

Deno.test("S31 a server name is the asked one whatever its letters' case, and no other is", () => {
  assert.ok(isSameName("github.com", "github.com") && isSameName("GitHub.com", "github.COM"));
  const others = [
    "github.com.",
    "github.co",
    "www.github.com",
    "github.com\0",
    "",
    "github.\u212aom",
    "g\u0131thub.com",
  ];
  assert.deepStrictEqual(others.filter((name) => isSameName(name, "github.com")), []);
  assert.ok(!isSameName("", "") && !isSameName("a..b", "a..b"));
});

type CommandLine = (port: number) => readonly [program: string, ...args: readonly string[]];

/** What the first bytes of a program's connection say, until it is more than "more". */
async function helloOf(line: CommandLine): Promise<ServerName> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const [program, ...args] = line(listener.addr.port);
  const child = spawn(program, args, { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const connection = await listener.accept();
  let bytes: Uint8Array = new Uint8Array(0);
  let found: ServerName = { state: "more" };
  const buffer = new Uint8Array(20_000);
  while (found.state === "more") {
    const length = await connection.read(buffer);
    assert.ok(length !== null, "the connection ended");
    bytes = concatenate([bytes, buffer.subarray(0, length)]);
    found = readServerName(bytes);
  }
  connection.close();
  child.kill();
  await ended;
  return found;
}

function openssl(port: number, ...options: readonly string[]): ReturnType<CommandLine> {
  return ["openssl", "s_client", "-connect", `127.0.0.1:${port}`, ...options];
}

const PYTHON = `import socket, ssl, sys
context = ssl._create_unverified_context()
context.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[1]))), server_hostname="github.com")`;
const NODE =
  `require("tls").connect({ host: "127.0.0.1", port: process.argv[1], servername: "github.com" }).on("error", () => {})`;
const DENO = `const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(Deno.args[0]) });
await (await Deno.startTls(connection, { hostname: "github.com" })).handshake();`;

const CLIENTS: Readonly<Record<string, CommandLine>> = {
  "openssl": (port) => openssl(port, "-servername", "GitHub.com"),
  "openssl with TLS 1.2": (port) => openssl(port, "-tls1_2", "-servername", "github.com"),
  "curl": (port) => ["curl", "--resolve", `github.com:${port}:127.0.0.1`, `https://github.com:${port}/`],
  "python": (port) => ["python3", "-c", PYTHON, String(port)],
  "node": (port) => ["node", "-e", NODE, String(port)],
  "deno": (port) => [Deno.execPath(), "eval", DENO, String(port)],
};

for (const [title, line] of Object.entries(CLIENTS)) {
  Deno.test(`S31 the server name of ${title} is read`, async () => {
    assert.deepStrictEqual(await helloOf(line), GITHUB);
  });
}

Deno.test("S31 a client that names no server is told from one that does", async () => {
  assert.deepStrictEqual(await helloOf((port) => openssl(port, "-noservername")), { state: "none" });
});
