import { strict as assert } from "node:assert";
import { BodyReader } from "./read_body.ts";

const MEBIBYTE = 1024 * 1024;
const LARGEST = 16 * MEBIBYTE;
const BEGINNING = 64 * 1024;
/** Of a body that is read at once. */
const SHORT = { "content-length": "100" };

interface Sender {
  readonly request: Request;
  readonly send: (bytes: number) => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Bytes of a body that is no message, but one of many lengths. */
function blanks(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(length).fill(32);
}

function sender(headers: Readonly<Record<string, string>> = {}): Sender {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  return {
    request: new Request("http://localhost/mcp", { method: "POST", body: readable, headers }),
    send: (bytes) => writer.write(blanks(bytes)),
    end: () => writer.close(),
  };
}

Deno.test("C2 H8 BodyReader takes a body up to its limit, in pieces or whole, and no byte more", async () => {
  const reader = new BodyReader();
  const rows: readonly (readonly [pieces: readonly number[], expected: unknown])[] = [
    [[], "blank"],
    [[LARGEST], "blank"],
    [[6 * MEBIBYTE, 10 * MEBIBYTE], "blank"],
    [[LARGEST + 1], "too_large"],
    [[LARGEST - 1, 2], "too_large"],
  ];
  for (const [pieces, expected] of rows) {
    const body = new Blob(pieces.map(blanks)).stream();
    const read = await reader.read(new Request("http://localhost/mcp", { method: "POST", body }));
    assert.deepStrictEqual(read.ok ? read.value.kind : read.problem, expected, String(pieces));
  }
  const declared = { method: "POST", body: "x", headers: { "content-length": `${LARGEST + 1}` } };
  assert.deepStrictEqual(await reader.read(new Request("http://localhost/mcp", declared)), {
    ok: false,
    problem: "too_large",
  });
});

Deno.test("H8 BodyReader holds no more than so much of all bodies at once, and always the beginning of each", async () => {
  const reader = new BodyReader();
  const large = [sender(), sender(), sender(), sender()];
  const reads = large.map(({ request }) => reader.read(request));
  // Of each 64 KiB do not count, so 256 KiB of 64 MiB are left.
  for (const { send } of large) await send(LARGEST);
  const [another, small] = [sender(), sender()];
  const [refused, taken] = [another, small].map(({ request }) => reader.read(request));
  await another.send(BEGINNING + 256 * 1024 + 1);
  assert.deepStrictEqual(await refused, { ok: false, problem: "too_many" });
  await small.send(BEGINNING);
  await small.end();
  assert.ok((await taken)?.ok);
  await large[0]?.end();
  await reads[0];
  // What is read makes room.
  const next = sender();
  reads.push(reader.read(next.request));
  await next.send(LARGEST);
  await next.end();
  for (const { end } of large.slice(1)) await end();
  const read = (await Promise.all(reads)).map((one) => one.ok ? one.value.kind : one.problem);
  assert.deepStrictEqual(read, Array(5).fill("blank"));
});

Deno.test("H8 BodyReader waits for a body so long, and not longer", async () => {
  for (const headers of [{}, SHORT]) {
    const slow = sender(headers);
    const read = new BodyReader(1).read(slow.request);
    await slow.send(80);
    assert.deepStrictEqual(await read, { ok: false, problem: "too_slow" });
    const next = sender(headers);
    const quick = new BodyReader().read(next.request);
    await next.send(100);
    await next.end();
    assert.ok((await quick).ok);
  }
});

Deno.test("H8 BodyReader bounds a body in pieces whatever length it declares", async () => {
  const { request, send } = sender({ ...SHORT, "transfer-encoding": "chunked" });
  const read = new BodyReader().read(request);
  await send(LARGEST + 1);
  assert.deepStrictEqual(await read, { ok: false, problem: "too_large" });
});
