/** Clients that try to end the server, or to take what it needs: it refuses them, and serves the others. */
import assert from "node:assert/strict";
import { until, withDeadline } from "../_support/deadline.ts";
import { HttpClient } from "../_support/clients/http_client.ts";
import type { HttpServerProcess } from "../_support/servers/http_server.ts";
import { test } from "./servers.ts";

/** What a connection meets that the other end closes, or does not take. */
const CLOSED = [
  Deno.errors.ConnectionRefused,
  Deno.errors.ConnectionReset,
  Deno.errors.BrokenPipe,
  Deno.errors.BadResource,
  Deno.errors.Interrupted,
];

function nested(depth: number): string {
  return '{"1":'.repeat(depth) + "1" + "}".repeat(depth);
}

async function refusalOf(response: Promise<Response>): Promise<readonly unknown[]> {
  const answer = await response;
  const { id, error } = await answer.json();
  return [answer.status, error?.code, id];
}

test("H8 C2 a message that nests too deep to be written again is refused, and the server lives", async ({ server }) => {
  await using client = await HttpClient.connect(server);
  const { headers } = client;
  const call = (depth: number) =>
    `{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"x","arguments":{"x":${nested(depth)}}}}`;
  const answer = `{"jsonrpc":"2.0","id":1,"result":{"x":${nested(100_000)}}}`;
  const note = `{"jsonrpc":"2.0","method":"notifications/x","params":{"x":${nested(100_000)}}}`;
  assert.deepStrictEqual(await refusalOf(server.post(call(100_000), { headers })), [400, -32600, "deep"]);
  assert.deepStrictEqual(await refusalOf(server.post(answer, { headers })), [400, -32600, 1]);
  assert.deepStrictEqual(await refusalOf(server.post(note, { headers })), [400, -32600, null]);
  // What a program may well send goes through.
  const allowed = await server.post(call(400), { headers, accept: "application/json" });
  assert.strictEqual(allowed.status, 200);
  assert.strictEqual((await allowed.json()).id, "deep");
  assert.deepStrictEqual((await client.request("ping")).result, {});
});

test("H8 large bodies that never end take no more memory than a few do, and hold up no small message", async ({ server }) => {
  await using client = await HttpClient.connect(server);
  const mebibyte = 1024 * 1024;
  const large = `{"jsonrpc":"2.0","id":"large","method":"ping","params":{"x":"${"x".repeat(15 * mebibyte)}"}}`;
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost:${server.port}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${16 * mebibyte}\r\n\r\n`;
  const answers: string[] = [];
  const bytes = new TextEncoder().encode(head + large);
  // Four of them fit into what is held of all together.
  const started = await Promise.all(
    Array.from({ length: 5 }, () => begun(server.port, { bytes, onAnswer: (text) => answers.push(text) })),
  );
  await until(() => answers.length > 0, 10_000, "the fifth to be refused");
  const status = async () => {
    const answer = await server.post(large, { headers: client.headers, accept: "application/json" });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.strictEqual(await status(), 503);
  assert.deepStrictEqual((await client.request("ping")).result, {});
  assert.deepStrictEqual(answers.map((answer) => answer.slice(0, 12)), ["HTTP/1.1 503"]);
  for (const connection of started) connection.close();
  await until(async () => await status() === 200, 10_000, "a large message to be served again");
});

/** A connection that has sent the bytes, or as much as the server took. */
async function begun(
  port: number,
  { bytes, onAnswer }: { readonly bytes: Uint8Array; readonly onAnswer: (answer: string) => void },
): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const buffer = new Uint8Array(1000);
  const answered = connection.read(buffer).then(
    (length) => onAnswer(new TextDecoder().decode(buffer.subarray(0, length ?? 0))),
    ignoreClosed,
  );
  await Promise.race([writeAll(connection, bytes).catch(ignoreClosed), answered]);
  return connection;
}

function ignoreClosed(thrown: unknown): void {
  if (!CLOSED.some((one) => thrown instanceof one)) throw thrown;
}

async function writeAll(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

test("H8 a server whose connections are all taken serves again when they are free", async ({ server }) => {
  await using client = await HttpClient.connect(server);
  const usual = await limitOfFiles(server.pid);
  const open = (await Array.fromAsync(Deno.readDir(`/proc/${server.pid}/fd`))).length;
  await limitFiles(server.pid, open + 20);
  const taken = await Promise.all(Array.from({ length: 60 }, () => connected(server.port)));
  try {
    // The kernel takes connections that the server has no room for: it has met its limit when one is closed by it.
    await Promise.race(taken.map((one) => one?.read(new Uint8Array(1)).catch(() => null) ?? null));
  } finally {
    for (const one of taken) one?.close();
  }
  await until(() => healthy(server), 10_000, "the server to serve again");
  await limitFiles(server.pid, usual);
  // Its sessions are still there, and their streams.
  assert.match((await client.shell("echo still here")).text, /still here/);
});

/** The soft one. */
async function limitOfFiles(pid: number): Promise<number> {
  const limits = await Deno.readTextFile(`/proc/${pid}/limits`);
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]);
}

async function limitFiles(pid: number, most: number): Promise<void> {
  const { success } = await new Deno.Command("prlimit", { args: [`--pid=${pid}`, `--nofile=${most}:`] }).output();
  assert.ok(success);
}

test("H8 requests that come together are answered in their order, and none hides in the body of another", async ({ server }) => {
  const request = (id: number, { declared = 40, more = "x-more: 1" } = {}) =>
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\ncontent-type: application/json\r\n` +
    `content-length: ${declared}\r\n${more}\r\n\r\n${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}`;
  const last = request(3, { more: "connection: close" });
  // Without a session each is refused, under its own id.
  const rows: readonly (readonly [text: string, ids: readonly string[], statuses: readonly string[]])[] = [
    [request(1) + request(2) + last, ["1", "2", "3"], ["400", "400", "400"]],
    // What follows the declared bytes is a request that is none.
    [request(1, { declared: 20 }) + last, ["null"], ["400", "400"]],
    [request(1, { more: "transfer-encoding: chunked" }) + last, [], ["400"]],
  ];
  for (const [text, ids, statuses] of rows) {
    const answers = await exchanged(server.port, text);
    assert.deepStrictEqual([...answers.matchAll(/"id":(\w+)/g)].map(([, id]) => id), ids, text);
    assert.deepStrictEqual([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status), statuses, text);
  }
});

/** What a server answers to a text until it closes the connection. */
async function exchanged(port: number, text: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await writeAll(connection, new TextEncoder().encode(text));
  let answers = "";
  const buffer = new Uint8Array(4096);
  const ended = (async () => {
    for (let length = await connection.read(buffer); length !== null; length = await connection.read(buffer)) {
      answers += new TextDecoder().decode(buffer.subarray(0, length));
    }
  })();
  await withDeadline(ended.catch(ignoreClosed), 10_000, "the server to close the connection");
  return answers;
}

async function connected(port: number): Promise<Deno.TcpConn | undefined> {
  try {
    return await Deno.connect({ hostname: "127.0.0.1", port });
  } catch (thrown) {
    ignoreClosed(thrown);
    return undefined;
  }
}

async function healthy(server: HttpServerProcess): Promise<boolean> {
  try {
    return (await (await fetch(new URL("/health", server.url))).text()) === "OK";
  } catch (thrown) {
    if (thrown instanceof TypeError) return false;
    throw thrown;
  }
}
