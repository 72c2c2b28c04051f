/** What decides whether a request is served, header by header and for every kind of request: each cell is a status. */
import assert from "node:assert/strict";
import { withDeadline } from "../_support/deadline.ts";
import { type HttpServerProcess, initializeMessage } from "../_support/servers/http_server.ts";
import { MODERN_META } from "../_support/json_rpc.ts";
import { test } from "./servers.ts";

/** Lines of a head; the value PORT stands for the server's. Undefined: the line is left out. */
type Headers = Readonly<Record<string, string | undefined>>;

interface Kind {
  readonly method: string;
  readonly headers?: Headers;
  readonly body?: object;
}

const BOTH = "application/json, text/event-stream";
const SESSION = "Mcp-Session-Id";
const VERSION = "MCP-Protocol-Version";

function posted(message: object, headers: Headers = {}): Kind {
  return { method: "POST", headers: { "Content-Type": "application/json", Accept: BOTH, ...headers }, body: message };
}

function modern(method: string, params: object = {}): Kind {
  const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: MODERN_META } };
  return posted(message, { [VERSION]: "2026-07-28", "Mcp-Method": method });
}

const INITIALIZE = posted(initializeMessage("2025-11-25"));
const PING = posted({ jsonrpc: "2.0", id: 1, method: "ping" });
const NOTIFICATION = posted({ jsonrpc: "2.0", method: "notifications/initialized" });
const ANSWER = posted({ jsonrpc: "2.0", id: 1, result: {} });
const GET: Kind = { method: "GET", headers: { Accept: "text/event-stream" } };
const DELETE: Kind = { method: "DELETE" };
const OPTIONS: Kind = { method: "OPTIONS" };
const LIST = modern("tools/list");
const LISTEN = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });

/** The status of one request as it stands, without the rest of the answer: a stream would go on. */
async function statusOf(
  server: HttpServerProcess,
  { method, headers = {}, body }: Kind,
  more: Headers,
): Promise<number> {
  const content = body === undefined ? "" : JSON.stringify(body);
  const all = { Host: "127.0.0.1:PORT", ...headers, ...more, "Content-Length": String(content.length) };
  const lines = Object.entries(all).filter(([, value]) => value !== undefined).map(([name, value]) =>
    `${name}: ${value?.replaceAll("PORT", String(server.port))}`
  );
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
  const request = `${method} /mcp HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${content}`;
  const bytes = new TextEncoder().encode(request);
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  const buffer = new Uint8Array(64);
  const size = await withDeadline(connection.read(buffer), 20_000, request);
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(new TextDecoder().decode(buffer.subarray(0, size ?? 0)))?.[1]);
}

/** One row for each set of headers, one column for each kind. */
async function matrix(
  server: HttpServerProcess,
  rows: readonly (readonly [name: string, headers: Headers])[],
  kinds: readonly Kind[],
): Promise<Readonly<Record<string, readonly number[]>>> {
  const seen: Record<string, readonly number[]> = {};
  for (const [name, headers] of rows) {
    const row = [];
    for (const kind of kinds) row.push(await statusOf(server, kind, headers));
    seen[name] = row;
  }
  return seen;
}

async function begin(server: HttpServerProcess): Promise<string> {
  const response = await server.post(initializeMessage("2025-11-25"), { accept: "application/json" });
  await response.body?.cancel();
  return response.headers.get(SESSION) ?? "";
}

async function end(server: HttpServerProcess, session: string): Promise<void> {
  assert.strictEqual(await statusOf(server, DELETE, { [SESSION]: session }), 204);
}

/** Rows of one header by its values, each with the status of every kind of request. */
interface HeaderMatrix {
  readonly header: string;
  readonly kinds: (inSession: (kind: Kind) => Kind) => readonly Kind[];
  readonly cells: Readonly<Record<string, readonly number[]>>;
  /** The row of requests without the header; absent: HTTP wants it. */
  readonly without?: readonly number[];
}

/** Asks row by row, in one session. */
async function assertMatrix(
  server: HttpServerProcess,
  { header, kinds, cells, without }: HeaderMatrix,
): Promise<void> {
  const session = await begin(server);
  const columns = kinds((kind) => ({ ...kind, headers: { ...kind.headers, [SESSION]: session } }));
  const values = Object.keys(cells).map((value) => [value, { [header]: value }] as const);
  const rows = without === undefined ? values : [...values, ["no header", { [header]: undefined }] as const];
  const expected = without === undefined ? cells : { ...cells, "no header": without };
  assert.deepStrictEqual(await matrix(server, rows, columns), expected);
}

/** Every kind that a page in a browser could send. */
function pageKinds(inSession: (kind: Kind) => Kind): readonly Kind[] {
  return [INITIALIZE, inSession(PING), inSession(GET), LIST, OPTIONS, inSession(DELETE)];
}

const ALL_REFUSED = [403, 403, 403, 403, 403, 403];
/** The first that is served ends the session, with the last of its kinds. */
const SERVED_FIRST = [200, 200, 200, 200, 204, 204];
const SERVED_LATER = [200, 404, 404, 200, 204, 404];

test("H8 C3 fault 1: the matrix of Host, for each kind of request, over HTTP", ({ server }) =>
  assertMatrix(server, {
    header: "Host",
    kinds: pageKinds,
    cells: {
      "evil.com": ALL_REFUSED,
      "evil.com:PORT": ALL_REFUSED,
      "127.0.0.1": ALL_REFUSED,
      "127.0.0.1:1": ALL_REFUSED,
      "127.0.0.1:PORT.evil.com": ALL_REFUSED,
      "127.0.0.1.evil.com:PORT": ALL_REFUSED,
      "evil.com@127.0.0.1:PORT": ALL_REFUSED,
      "127.1:PORT": ALL_REFUSED,
      "2130706433:PORT": ALL_REFUSED,
      "0.0.0.0:PORT": ALL_REFUSED,
      "[::]:PORT": ALL_REFUSED,
      "localhost.:PORT": ALL_REFUSED,
      "127.0.0.1:PORT": SERVED_FIRST,
      "LOCALHOST:PORT": SERVED_LATER,
      "[::1]:PORT": SERVED_LATER,
    },
  }));

test("H8 C3 fault 1: the matrix of Origin, for each kind of request, over HTTP", ({ server }) =>
  assertMatrix(server, {
    header: "Origin",
    kinds: pageKinds,
    cells: {
      "null": ALL_REFUSED,
      "": ALL_REFUSED,
      "*": ALL_REFUSED,
      "http://evil.com": ALL_REFUSED,
      "http://127.0.0.1": ALL_REFUSED,
      "https://127.0.0.1:PORT": ALL_REFUSED,
      "http://127.0.0.1:PORT.evil.com": ALL_REFUSED,
      "http://localhost.evil.com:PORT": ALL_REFUSED,
      "http://127.0.0.1:PORT, http://evil.com": ALL_REFUSED,
      "https://ide.example.evil": ALL_REFUSED,
      "https://ide.example:443": ALL_REFUSED,
      "http://ide.example": ALL_REFUSED,
      "file://": ALL_REFUSED,
      "http://127.0.0.1:PORT": SERVED_FIRST,
      "http://localhost:PORT": SERVED_LATER,
      "http://[::1]:PORT": SERVED_LATER,
      "https://ide.example": SERVED_LATER,
    },
  }));

test("H7 C3 the matrix of Accept, for each kind of request", ({ server }) => {
  const all = [200, 200, 202, 200, 200, 200];
  const jsonOnly = [200, 200, 202, 200, 406, 406];
  const none = [406, 406, 406, 406, 406, 406];
  return assertMatrix(server, {
    header: "Accept",
    kinds: (inSession) => [INITIALIZE, inSession(PING), inSession(NOTIFICATION), LIST, inSession(GET), LISTEN],
    cells: {
      "application/json, text/event-stream": all,
      "text/event-stream": all,
      "*/*": all,
      "": all,
      "text/*": all,
      "TEXT/EVENT-STREAM; q=0.1": all,
      "application/json": jsonOnly,
      "application/*": jsonOnly,
      "application/json, text/event-stream;q=0": jsonOnly,
      "*/*, text/event-stream;q=0": jsonOnly,
      "text/html": none,
      "text/event-stream;q=0": none,
      "application/json;q=0, text/event-stream;q=0.000": none,
      "application/jsonp": none,
    },
    without: all,
  });
});

test("H4 C3 fault 7: the matrix of sessions, 400 without one and 404 for one that is none, over HTTP", async ({ server }) => {
  const live = await begin(server);
  const ended = await begin(server);
  await end(server, ended);
  const kinds = [PING, NOTIFICATION, ANSWER, GET, INITIALIZE, LIST, DELETE];
  const unknown = [404, 404, 404, 404, 404, 200, 404];
  const rows = [
    ["none", {}],
    ["empty", { [SESSION]: "" }],
    ["ended", { [SESSION]: ended }],
    ["never was", { [SESSION]: crypto.randomUUID() }],
    ["no id", { [SESSION]: "../../etc" }],
    ["a longer one", { [SESSION]: `${live}0` }],
    ["in capitals", { [SESSION]: live.toUpperCase() }],
    ["two", { [SESSION]: live, "mcp-session-id": live }],
    ["live", { [SESSION]: live }],
    ["live no more", { [SESSION]: live }],
  ] as const;
  assert.deepStrictEqual(await matrix(server, rows, kinds), {
    "none": [400, 400, 400, 400, 200, 200, 400],
    "empty": unknown,
    "ended": unknown,
    "never was": unknown,
    "no id": unknown,
    "a longer one": unknown,
    "in capitals": unknown,
    "two": unknown,
    "live": [200, 202, 202, 200, 400, 200, 204],
    "live no more": unknown,
  });
});

/** Of MCP-Protocol-Version. */
const KNOWN = [200, 202, 202, 200, 200, 400];
const UNKNOWN = [400, 400, 400, 400, 200, 400];

test("H4 C3 fault 11: the matrix of MCP-Protocol-Version, in both eras, over HTTP", ({ server }) => {
  // What is newer than sessions contradicts initialize.
  const newer = [400, 400, 400, 400, 400, 400];
  return assertMatrix(server, {
    header: VERSION,
    kinds: (inSession) => [...[PING, NOTIFICATION, ANSWER, GET].map(inSession), INITIALIZE, LIST],
    cells: {
      "2025-11-25": KNOWN,
      "2025-06-18": KNOWN,
      "2025-03-26": KNOWN,
      "2024-11-05": KNOWN,
      "": UNKNOWN,
      "1999-01-01": UNKNOWN,
      "2199-01-01": newer,
      "latest": newer,
      "2025-11-25, 2025-11-25": UNKNOWN,
      "2026-07-28": [400, 202, 400, 405, 400, 200],
    },
    without: KNOWN,
  });
});

test("H4 C3 fault 11: MCP-Protocol-Version counts for DELETE as well, over HTTP", async ({ server }) => {
  const session = await begin(server);
  const versions = ["1999-01-01", "2026-07-28", "2025-11-25"];
  const rows = versions.map((version) => [version, { [VERSION]: version, [SESSION]: session }] as const);
  const expected = { "1999-01-01": [400], "2026-07-28": [405], "2025-11-25": [204] };
  assert.deepStrictEqual(await matrix(server, rows, [DELETE]), expected);
});

test("C1 C3 fault 11: the matrix of envelope and headers of 2026-07-28, with the code of each refusal, over HTTP", async ({ server }) => {
  const [VERSION_KEY, CAPABILITIES_KEY] = [
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
  ];
  const right = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "status" };
  const { "mcp-protocol-version": _, ...withoutVersion } = right;
  const { "mcp-method": __, ...withoutMethod } = right;
  const { "mcp-name": ___, ...withoutName } = right;
  const rows: readonly (readonly [string, object | undefined, Readonly<Record<string, string>>, readonly number[]])[] =
    [
      ["right", MODERN_META, right, [200, 0]],
      ["blanks around values", MODERN_META, { ...right, "mcp-name": "  status  " }, [200, 0]],
      ["with a session", MODERN_META, { ...right, "mcp-session-id": crypto.randomUUID() }, [200, 0]],
      ["no envelope", undefined, right, [400, -32602]],
      ["an empty envelope", {}, right, [400, -32602]],
      ["no capabilities", { [VERSION_KEY]: "2026-07-28" }, right, [400, -32602]],
      ["no version", { [CAPABILITIES_KEY]: {} }, right, [400, -32602]],
      ["capabilities of no object", { ...MODERN_META, [CAPABILITIES_KEY]: 7 }, right, [400, -32602]],
      ["another version in the body", { ...MODERN_META, [VERSION_KEY]: "2025-11-25" }, right, [400, -32020]],
      ["another version in the header", MODERN_META, { ...right, "mcp-protocol-version": "2025-11-25" }, [400, -32020]],
      ["an unknown version in both", { ...MODERN_META, [VERSION_KEY]: "2199-01-01" }, {
        ...right,
        "mcp-protocol-version": "2199-01-01",
      }, [400, -32022]],
      ["no version header", MODERN_META, withoutVersion, [400, -32020]],
      ["no method header", MODERN_META, withoutMethod, [400, -32020]],
      ["another method", MODERN_META, { ...right, "mcp-method": "tools/list" }, [400, -32020]],
      ["the method in capitals", MODERN_META, { ...right, "mcp-method": "TOOLS/CALL" }, [400, -32020]],
      ["no name header", MODERN_META, withoutName, [400, -32020]],
      ["another name", MODERN_META, { ...right, "mcp-name": "await" }, [400, -32020]],
    ];
  const seen = [];
  for (const [what, _meta, headers] of rows) {
    const params = { name: "status", arguments: {}, ..._meta !== undefined && { _meta } };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const response = await server.post(message, { accept: "application/json", headers });
    seen.push([what, [response.status, (await response.json()).error?.code ?? 0]]);
  }
  assert.deepStrictEqual(seen, rows.map(([what, , , expected]) => [what, expected]));
});

test("C1 C3 what 2026-07-28 took away is 404 and -32601, with its envelope", async ({ server }) => {
  const methods = ["initialize", "ping", "logging/setLevel", "resources/subscribe", "tasks/list", "tasks/result", "no"];
  const seen = [];
  for (const method of methods) {
    const response = await server.modern(method, {}, { accept: "application/json" });
    seen.push([response.status, (await response.json()).error?.code]);
  }
  assert.deepStrictEqual(seen, methods.map(() => [404, -32601]));
});
