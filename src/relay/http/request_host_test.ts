import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fc from "fast-check";
import { concatenate } from "../../base/bytes.ts";
import { byteText, textBytes } from "../parse/host_name.ts";
import { LONGEST_HEAD, readRequestHost, type RequestHost } from "./request_host.ts";

const PLAIN = "GET /a?b HTTP/1.1\r\nHost: Example.com\r\nAccept: */*\r\n\r\n";
const CLOSING = "GET /a?b HTTP/1.1\r\nHost: Example.com\r\nAccept: */*\r\nConnection: close\r\n\r\n";

function read(text: string): RequestHost {
  return readRequestHost(textBytes(text));
}

/** The name and the head that is sent on. */
function passed(text: string): readonly [name: string, head: string] | readonly [RequestHost] {
  const found = read(text);
  return found.state === "host" ? [found.name, byteText(found.head)] : [found];
}

Deno.test("S31 the host of a request is known once its head is whole, in whatever parts it comes", () => {
  for (let end = 0; end < PLAIN.length; end++) {
    assert.deepStrictEqual(read(PLAIN.slice(0, end)), { state: "more" }, PLAIN.slice(0, end));
  }
  const whole: RequestHost = {
    state: "host",
    name: "example.com",
    length: PLAIN.length,
    head: textBytes(CLOSING),
    body: 0,
  };
  assert.deepStrictEqual([read(PLAIN), read(`${PLAIN}\nbody\0`)], [whole, whole]);
});

Deno.test("S31 a request names its host in its target or its header, and both are the same", () => {
  const named = (line: string, host: string) => passed(`${line} HTTP/1.1\r\nHost:${host}\r\n\r\n`);
  const names = [
    named("GET http://example.com/x", " example.com"),
    named("GET HTTP://EXAMPLE.com:80", "example.com:80 \t"),
    named("OPTIONS *", "example.com"),
    named("GET http://example.com?x@evil.example", "example.com"),
    named("GET /\xe9", "example.com"),
    named("GET //evil.example/", "example.com"),
  ].map(([name]) => name);
  assert.deepStrictEqual(names, names.map(() => "example.com"));
});

Deno.test("S31 a request that servers could read differently, or that opens a tunnel, is refused", () => {
  const line = "GET / HTTP/1.1\r\n";
  const wrong = {
    "no host": `${line}Accept: */*\r\n\r\n`,
    "two hosts": `${line}Host: example.com\r\nHost: evil.example\r\n\r\n`,
    "the same host twice": `${line}Host: example.com\r\nhost: example.com\r\n\r\n`,
    "a space before the colon": `${line}Host: example.com\r\nHost : evil.example\r\n\r\n`,
    "a folded line": `${line}Host: example.com\r\n evil.example\r\n\r\n`,
    "a folded line first": `${line} Host: evil.example\r\nHost: example.com\r\n\r\n`,
    "a line without a colon": `${line}Host: example.com\r\nevil\r\n\r\n`,
    "a lone line feed": `${line}Host: example.com\r\nX: y\nHost: evil.example\r\n\r\n`,
    "a lone carriage return": `${line}Host: example.com\r\nX: y\rHost: evil.example\r\n\r\n`,
    "line feeds only": "GET / HTTP/1.1\nHost: evil.example\n\n",
    "NUL": `${line}Host: example.com\0.evil.example\r\n\r\n`,
    "NUL in another line": `${line}Host: example.com\r\nX: \0\r\n\r\n`,
    "a user": `${line}Host: example.com@evil.example\r\n\r\n`,
    "two names": `${line}Host: example.com, evil.example\r\n\r\n`,
    "a dot at the end": `${line}Host: example.com.\r\n\r\n`,
    "a port that is not one": `${line}Host: example.com:x\r\n\r\n`,
    "an address of IPv6": `${line}Host: [::1]\r\n\r\n`,
    "an empty host": `${line}Host:\r\n\r\n`,
    "another host in the target": "GET http://evil.example/ HTTP/1.1\r\nHost: example.com\r\n\r\n",
    "a user in the target": "GET http://example.com@evil.example/ HTTP/1.1\r\nHost: example.com\r\n\r\n",
    "a backslash in the target": "GET http://evil.example\\.example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n",
    "a target without a header": "GET http://example.com/ HTTP/1.0\r\n\r\n",
    "another scheme": "GET ftp://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n",
    "a target that is a name": "GET evil.example HTTP/1.1\r\nHost: example.com\r\n\r\n",
    "CONNECT": "CONNECT evil.example:443 HTTP/1.1\r\nHost: example.com\r\n\r\n",
    "CONNECT to the same host": "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n",
    "a head that is too long": `${line}Host: example.com\r\nX: ${"x".repeat(LONGEST_HEAD)}\r\n\r\n`,
  };
  assert.deepStrictEqual(Object.entries(wrong).filter(([, text]) => read(text).state !== "invalid"), []);
  assert.deepStrictEqual(read(wrong.CONNECT), { state: "invalid", reason: "opens a tunnel" });
});

Deno.test("S31 the length of a body is told once and plainly, or the request is refused", () => {
  const read = (lines: string, version = "1.1") => {
    const found = readRequestHost(textBytes(`POST / HTTP/${version}\r\nHost: example.com\r\n${lines}\r\n`));
    return found.state === "host" ? found.body : found.state;
  };
  assert.deepStrictEqual([
    read(""),
    read("Content-Length: 12\r\n"),
    read("content-length:000\r\n", "1.0"),
    read("Transfer-Encoding: Chunked\r\n"),
  ], [0, 12, 0, "chunked"]);
  const asked = readRequestHost(textBytes("GET / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 5\r\n\r\n"));
  const wrong = [
    asked.state,
    read("Content-Length: 5\r\nContent-Length: 5\r\n"),
    read("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
    read("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
    read("Transfer-Encoding: gzip, chunked\r\n"),
    read("Transfer-Encoding: identity\r\n"),
    read("Transfer-Encoding: chunked\r\n", "1.0"),
    read("Content-Length: 5, 5\r\n"),
    read("Content-Length: +5\r\n"),
    read("Content-Length: -1\r\n"),
    read("Content-Length: 0x5\r\n"),
    read("Content-Length: 5 5\r\n"),
    read("Content-Length:\r\n"),
    read("Content-Length: 1000000000000000\r\n"),
  ];
  assert.deepStrictEqual(wrong, wrong.map(() => "invalid"));
});

Deno.test("S31 what is not a request of HTTP/1 is told as soon as that is clear", () => {
  const others = [
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n",
    "\x16\x03\x01",
    "GET /\r\n",
    "GET  / HTTP/1.1\r\n",
    "GET\t/ HTTP/1.1\r\n",
    "GET / x HTTP/1.1\r\n",
    "GET / HTTP/1.1 \r\n",
    "get / HTTP/1.1\r\n",
    "\r\nGET / HTTP/1.1\r\n",
    " GET / HTTP/1.1\r\n",
    "EHLO github.com\r\n",
    "\0",
  ];
  assert.deepStrictEqual(others.filter((text) => read(text).state !== "not-http"), []);
});

Deno.test("S31 a connection carries one request: no later one can name another host", () => {
  const kept =
    "GET / HTTP/1.1\r\nhost: example.com\r\nconnection: keep-alive, Upgrade\r\nKeep-Alive: 5\r\nUpgrade: h2c\r\n" +
    "Proxy-Connection: keep-alive\r\nX-Connection: x\r\n\r\n";
  const second = "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n";
  const closing = "GET / HTTP/1.1\r\nhost: example.com\r\nX-Connection: x\r\nConnection: close\r\n\r\n";
  const found = read(kept + second);
  assert.deepStrictEqual(found, {
    state: "host",
    name: "example.com",
    length: kept.length,
    head: textBytes(closing),
    body: 0,
  });
});

Deno.test("S31 no bytes make the reader throw, wait for more than its bound, or pass a line that it did not read", () => {
  const changed = fc.tuple(fc.nat(), fc.nat(255), fc.nat(PLAIN.length)).map(([at, byte, end]) => {
    const bytes = textBytes(PLAIN);
    bytes[at % bytes.length] = byte;
    return bytes.subarray(0, end);
  });
  const lines = fc.array(fc.constantFrom("\r\n", "\n", "\r", "Host", ":", " ", "\t", "a.example", "X: y", "\0"), {
    maxLength: 20,
  })
    .map((parts) => textBytes(`GET / HTTP/1.1\r\n${parts.join("")}\r\n\r\n`));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), changed, lines), (bytes) => {
      const found = readRequestHost(bytes);
      if (found.state !== "host") return;
      const head = byteText(found.head);
      assert.ok(head.endsWith("\r\nConnection: close\r\n\r\n") && found.length <= bytes.length);
      assert.deepStrictEqual(head.match(/^host[ \t]*:/gim)?.length, 1);
      assert.deepStrictEqual(readRequestHost(found.head), { ...found, length: found.head.length });
    }),
    { numRuns: 5000 },
  );
  const spaces = textBytes(`GET / HTTP/1.1\r\nHost: ${" ".repeat(LONGEST_HEAD)}`);
  assert.strictEqual(readRequestHost(spaces).state, "invalid");
});

/** Answers two requests of a program, each as a server that ends after one; gives what each asked for. */
async function requestsOf(program: string, args: (port: number) => readonly string[]): Promise<readonly unknown[]> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const child = spawn(program, args(listener.addr.port), { stdio: "ignore" });
  const code = new Promise((resolve) => child.once("close", resolve));
  const names: unknown[] = [];
  for (let request = 0; request < 2; request++) {
    using connection = await listener.accept();
    let bytes: Uint8Array = new Uint8Array(0);
    const buffer = new Uint8Array(LONGEST_HEAD);
    while (readRequestHost(bytes).state === "more") {
      const length = await connection.read(buffer);
      assert.ok(length !== null, "the connection ended");
      bytes = concatenate([bytes, buffer.subarray(0, length)]);
    }
    names.push(passed(byteText(bytes))[0]);
    await connection.write(textBytes("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"));
  }
  return [...names, await code];
}

Deno.test("S31 clients send their next request on another connection where the server ends one", async () => {
  const curl = (port: number) => {
    const url = `http://github.com:${port}/`;
    return ["--fail", "--resolve", `github.com:${port}:127.0.0.1`, url, url];
  };
  assert.deepStrictEqual(await requestsOf("curl", curl), ["github.com", "github.com", 0]);
  const node = `const http = require("http"), agent = new http.Agent({ keepAlive: true });
const ask = () => new Promise((resolve, reject) => http.get({ agent, host: "127.0.0.1", port: process.argv[1],
  headers: { host: "github.com" } }, (answer) => answer.resume().on("end", resolve)).on("error", reject));
ask().then(ask);`;
  assert.deepStrictEqual(await requestsOf("node", (port) => ["-e", node, String(port)]), [
    "github.com",
    "github.com",
    0,
  ]);
});
