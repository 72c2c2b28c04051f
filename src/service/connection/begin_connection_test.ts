import assert from "node:assert/strict";
import fc from "fast-check";
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { makeService, type ServiceParts } from "../_support/connection.ts";
import { beginConnection } from "./begin_connection.ts";
import { serveStdioConnection } from "./stdio_connection.ts";

const END = '{"jsonrpc":"2.0","id":"end","method":"ping"}\n';

interface Played {
  readonly chunks: readonly (string | Uint8Array)[];
  readonly parts?: ServiceParts;
  /** Whether the second chunk comes when the first is answered. */
  readonly waits?: true;
}

interface Seen {
  /** What is written until the last request is answered, and errors of the log. */
  readonly lines: readonly string[];
  readonly isFirst: boolean;
}

async function played({ chunks, parts, waits }: Played, way: "two stages" | "one stage"): Promise<Seen> {
  const waiting = [...chunks, END].map((chunk) => typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
  const begun = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<null>();
  const errors: string[] = [];
  let written = "";
  const io = {
    async read(buffer: Uint8Array): Promise<number | null> {
      if (waits && waiting.length === chunks.length) await begun.promise;
      const chunk = waiting.shift();
      if (chunk === undefined) return await answered.promise;
      buffer.set(chunk.subarray(0, buffer.length));
      if (chunk.length > buffer.length) waiting.unshift(chunk.subarray(buffer.length));
      return Math.min(chunk.length, buffer.length);
    },
    write(bytes: Uint8Array): Promise<number> {
      written += new TextDecoder().decode(bytes);
      if (written.includes("\n")) begun.resolve();
      if (written.includes('"id":"end"')) answered.resolve(null);
      return Promise.resolve(bytes.length);
    },
  };
  const service = makeService(parts);
  const log = { ...service.log, error: (message: string) => void errors.push(message) };
  const streams = { input: io, output: io };
  const on = way === "one stage" ? streams : await beginConnection(service, streams);
  await serveStdioConnection({ ...service, log }, on);
  return { lines: [...written.split("\n"), ...errors], isFirst: "answered" in on };
}

/** Both ways answer the same; whether the first stage answered. */
async function isSame(one: Played, orderOf = (lines: readonly string[]) => lines): Promise<boolean> {
  const [two, whole] = [await played(one, "two stages"), await played(one, "one stage")];
  assert.deepStrictEqual(orderOf(two.lines), orderOf(whole.lines), one.chunks.join("").slice(0, 500));
  return two.isFirst;
}

function initialize(params: object, rest: object = {}): string {
  const clientInfo = { name: "test", version: "0" };
  const all = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo, ...params };
  return `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: all, ...rest })}\n`;
}

Deno.test("N3 C3 the first answer is the SDK's to each version, with and without tasks, prompts and changes", async () => {
  const prompts = [{ list: () => Promise.resolve([]), get: () => Promise.reject(new Error("none")) }] as never;
  const parts: readonly ServiceParts[] = [
    {},
    { settings: { synchronous: true } },
    { rest: { prompts } },
    { rest: { onCatalogChange: () => () => {} } },
    { rest: { instructions: () => ["One more line."] } },
  ];
  for (const protocolVersion of SUPPORTED_PROTOCOL_VERSIONS) {
    for (const one of parts) {
      assert.ok(await isSame({ chunks: [initialize({ protocolVersion })], parts: one }), protocolVersion);
    }
  }
});

Deno.test("N3 C2 C3 what is not a plain initialize is left to the SDK, and answered as ever", async () => {
  const plain = initialize({}).trimEnd();
  const left: readonly string[] = [
    initialize({ protocolVersion: "2026-07-28" }),
    initialize({ protocolVersion: "1999-01-01" }),
    initialize({ protocolVersion: 1 }),
    initialize({ capabilities: [] }),
    initialize({ capabilities: { roots: { listChanged: "yes" } } }),
    initialize({ capabilities: { experimental: { a: 1 } } }),
    initialize({ clientInfo: { name: "test" } }),
    initialize({ clientInfo: { name: "test", version: 1 } }),
    initialize({ clientInfo: { name: "test", version: "0", icons: [{}] } }),
    initialize({ _meta: { progressToken: 1 } }),
    initialize({ more: 1 }),
    initialize({}, { more: 1 }),
    initialize({}, { jsonrpc: "1.0" }),
    initialize({}, { id: null }),
    initialize({}, { id: 1.5 }),
    initialize({}, { id: "x".repeat(2_000) }),
    initialize({}, { method: "tools/list" }),
    `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: [] })}\n`,
    `[${plain}]\n`,
    `\n${plain}\n`,
    `${plain.slice(0, -1)}\n`,
    `${plain.replace("{}", '{"__proto__":{}}')}\n`,
    `${plain.replace('"2.0"', '"2.0","id":7')}\n`.replace('"id":7', '"id":{}'),
    `${plain.replace("{}", `{"experimental":{"a":{"b":${"[".repeat(600)}${"]".repeat(600)}}}}`)}\n`,
    initialize({ capabilities: { experimental: { a: { b: "x".repeat(200_000) } } } }),
    "\u00ff\n",
  ];
  for (const line of left) {
    // A later member of the same name wins, so that one of them is plain.
    assert.equal(await isSame({ chunks: [line] }), line.includes('"id":{}'), line.slice(0, 300));
  }
});

Deno.test("N3 C2 lines that come in pieces, together or with more behind them are answered in their order", async () => {
  const line = initialize({});
  const ping = '{"jsonrpc":"2.0","id":2,"method":"ping"}\n';
  const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}\n';
  const list = '{"jsonrpc":"2.0","id":3,"method":"tools/list"}\n';
  for (
    const chunks of [[line + initialized + list], [ping, line], [line + ping.slice(0, 9), ping.slice(9)]]
  ) {
    await isSame({ chunks });
  }
  // The refusal of a second one does not wait for the first.
  const chunks = [line, initialize({}, { id: 4 }), line];
  assert.ok(await isSame({ chunks }, (lines) => lines.toSorted()));
  for (let at = 1; at < line.length; at += 7) await isSame({ chunks: [line.slice(0, at), line.slice(at) + ping] });
  await isSame({ chunks: [...line] });
});

Deno.test("N3 C2 what the client sends when it has the first answer finds a connection of its version", async () => {
  const batch = `[${["a", "b"].map((id) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })).join()}]\n`;
  const list = '{"jsonrpc":"2.0","id":3,"method":"tools/list"}\n';
  for (const protocolVersion of SUPPORTED_PROTOCOL_VERSIONS) {
    assert.ok(await isSame({ chunks: [initialize({ protocolVersion }), batch + list], waits: true }), protocolVersion);
  }
});

Deno.test("N3 C2 whatever the client sends first, both ways answer the same", async () => {
  const object = fc.dictionary(
    fc.constantFrom("a", "listChanged", "form", "url", "create"),
    fc.jsonValue({ maxDepth: 1 }),
  );
  const member = fc.oneof(fc.constant({}), fc.constant({ listChanged: true }), object, fc.jsonValue({ maxDepth: 1 }));
  const names = ["experimental", "extensions", "sampling", "elicitation", "roots", "tasks", "other"] as const;
  const capabilities = fc.record(Object.fromEntries(names.map((name) => [name, member])), { requiredKeys: [] });
  const text = fc.oneof({ arbitrary: fc.string(), weight: 5 }, fc.jsonValue({ maxDepth: 0 }));
  const clientInfo = fc.record({ name: text, version: text, title: text, websiteUrl: text, more: text }, {
    requiredKeys: ["name", "version"],
  });
  const params = fc.record({
    protocolVersion: fc.constantFrom(...SUPPORTED_PROTOCOL_VERSIONS, "2026-07-28", "x"),
    capabilities: fc.oneof({ arbitrary: capabilities, weight: 9 }, fc.jsonValue({ maxDepth: 1 })),
    clientInfo: fc.oneof({ arbitrary: clientInfo, weight: 9 }, fc.jsonValue({ maxDepth: 1 })),
  });
  const id = fc.oneof(fc.integer(), fc.string(), fc.jsonValue({ maxDepth: 0 }));
  let first = 0;
  await fc.assert(
    fc.asyncProperty(params, id, async (some, one) => {
      if (await isSame({ chunks: [initialize(some, { id: one })] })) first++;
    }),
    {
      numRuns: 150,
      examples: [[{ protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a", version: "1" } }, 1]],
    },
  );
  assert.ok(first > 0);
});

Deno.test("N3 X14 the end of input ends the connection before, within and after the first line", async () => {
  const line = initialize({});
  for (const [text, lines] of [["", 0], [line.trimEnd(), 0], [line, 1], ["\n", 0]] as const) {
    const waiting = [text].filter((one) => one !== "").map((one) => new TextEncoder().encode(one));
    let written = "";
    const io = {
      read(buffer: Uint8Array): Promise<number | null> {
        const chunk = waiting.shift();
        buffer.set(chunk ?? []);
        return Promise.resolve(chunk?.length ?? null);
      },
      write(bytes: Uint8Array): Promise<number> {
        written += new TextDecoder().decode(bytes);
        return Promise.resolve(bytes.length);
      },
    };
    const service = makeService();
    await serveStdioConnection(service, await beginConnection(service, { input: io, output: io }));
    assert.equal(written.split("\n").length - 1, lines, JSON.stringify(text));
  }
});

Deno.test("N3 X14 a client that is gone before the first answer, and one that breaks its input, end the connection", async () => {
  const gone = () => Promise.reject(new Deno.errors.BrokenPipe("gone"));
  const line = new TextEncoder().encode(initialize({}));
  const sends = (buffer: Uint8Array) => {
    buffer.set(line);
    return Promise.resolve(line.length);
  };
  const taken = (bytes: Uint8Array) => Promise.resolve(bytes.length);
  for (const io of [{ read: sends, write: gone }, { read: gone, write: taken }]) {
    const service = makeService();
    const warned: string[] = [];
    const log = { ...service.log, warn: (message: string) => void warned.push(message) };
    const begun = await beginConnection(service, { input: io, output: io });
    await serveStdioConnection({ ...service, log }, begun);
    assert.deepStrictEqual(warned, io.read === gone ? ["Cannot read from stdin"] : []);
  }
});

Deno.test("N3 a stop does not wait for the first line, and what comes then is read by the second stage", async () => {
  const service = makeService();
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const io = { read: () => promise, write: (bytes: Uint8Array) => Promise.resolve(bytes.length) };
  const begun = await beginConnection(service, { input: io, output: io, stop: AbortSignal.abort("SIGTERM") });
  assert.equal(begun.answered, undefined);
  const read = begun.input.read(new Uint8Array(9));
  resolve(null);
  assert.equal(await read, null);
});
