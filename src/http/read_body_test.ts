import { strict as assert } from "node:assert";
import { BodyReader } from "./read_body.ts";

const LIMITS = { largest: 100, together: 150, beginning: 10, timeMs: 60_000 };

interface Sender {
  readonly request: Request;
  readonly send: (bytes: number) => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Bytes of a body that is no message, but one of many lengths. */
function blanks(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(length).fill(32);
}

function sender(): Sender {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  return {
    request: new Request("http://localhost/mcp", { method: "POST", body: readable }),
    send: (bytes) => writer.write(blanks(bytes)),
    end: () => writer.close(),
  };
}

Deno.test("C2 H8 BodyReader takes a body up to its limit, in pieces or whole, and no byte more", async () => {
  const reader = new BodyReader(LIMITS);
  const rows: readonly (readonly [pieces: readonly number[], expected: unknown])[] = [
    [[], "blank"],
    [[100], "blank"],
    [[40, 60], "blank"],
    [[101], "too_large"],
    [[99, 2], "too_large"],
  ];
  for (const [pieces, expected] of rows) {
    const body = new Blob(pieces.map(blanks)).stream();
    const read = await reader.read(new Request("http://localhost/mcp", { method: "POST", body }));
    assert.deepStrictEqual(read.ok ? read.value.kind : read.problem, expected, String(pieces));
  }
  const declared = { method: "POST", body: "x", headers: { "content-length": "101" } };
  assert.deepStrictEqual(await reader.read(new Request("http://localhost/mcp", declared)), {
    ok: false,
    problem: "too_large",
  });
});

Deno.test("H8 BodyReader holds no more than so much of all bodies at once, and always the beginning of each", async () => {
  const reader = new BodyReader(LIMITS);
  const [first, second, third, small] = [sender(), sender(), sender(), sender()];
  const [a, b, c, d] = [first, second, third, small].map(({ request }) => reader.read(request));
  await first.send(80); // 70 of 150
  await second.send(80); // 140
  await third.send(21); // one too many
  assert.deepStrictEqual(await c, { ok: false, problem: "too_many" });
  await small.send(10);
  await small.end();
  assert.ok((await d)?.ok);
  await first.end();
  await a;
  // What is read makes room.
  const [fourth] = [sender()];
  const e = reader.read(fourth.request);
  await fourth.send(80);
  await fourth.end();
  await second.end();
  const read = [await a, await b, await e].map((one) => one?.ok === true ? one.value.kind : one?.problem);
  assert.deepStrictEqual(read, ["blank", "blank", "blank"]);
});

Deno.test("H8 BodyReader waits for a body so long, and not longer", async () => {
  const slow = sender();
  const read = new BodyReader({ ...LIMITS, timeMs: 1 }).read(slow.request);
  await slow.send(80);
  assert.deepStrictEqual(await read, { ok: false, problem: "too_slow" });
  const next = sender();
  const quick = new BodyReader(LIMITS).read(next.request);
  await next.send(100);
  await next.end();
  assert.ok((await quick).ok);
});
