import assert from "node:assert/strict";
import fc from "fast-check";
import { MessageWriter } from "./message_writer.ts";

Deno.test("C2 a client that leaves more than 64 MiB unread is taken for gone", () => {
  const megabyte = new Uint8Array(1024 * 1024);
  const failures: unknown[] = [];
  const never = Promise.withResolvers<number>().promise;
  const deaf = new MessageWriter({ write: () => never }, (thrown) => failures.push(String(thrown)));
  for (let i = 0; i < 70; i++) void deaf.write(megabyte);
  assert.deepStrictEqual(failures, ["Error: The client does not read: 68157440 bytes wait for it"]);
});

Deno.test("C2 a client that reads gets more than 64 MiB", async () => {
  const megabyte = new Uint8Array(1024 * 1024);
  let read = 0;
  const writer = new MessageWriter(
    { write: (bytes) => Promise.resolve(read += bytes.length).then(() => bytes.length) },
    (thrown) => {
      throw thrown;
    },
  );
  for (let i = 0; i < 70; i++) await writer.write(megabyte);
  assert.equal(read, 70 * megabyte.length);
});

Deno.test("C2 messages come out whole and in their order, however much of each is written at once", async () => {
  const sizes = fc.array(fc.nat({ max: 40 }), { minLength: 1 });
  await fc.assert(fc.asyncProperty(fc.array(fc.string({ minLength: 1 })), sizes, async (texts, some) => {
    let written = "";
    let at = 0;
    const take = (bytes: Uint8Array) => {
      const size = Math.min(bytes.length, some[at++ % some.length] ?? 0);
      written += new TextDecoder("latin1").decode(bytes.subarray(0, size));
      return size;
    };
    const writer = new MessageWriter({
      write: (bytes) => Promise.resolve(Math.max(take(bytes), 0)).then((size) => size),
      writeNow: take,
    }, (thrown) => assert.fail(String(thrown)));
    some.push(1); // so that it gets on
    for (const [index, text] of texts.entries()) {
      const done = writer.write(new TextEncoder().encode(text));
      if (index % 3 === 0) await done;
    }
    await writer.flush();
    const all = new TextDecoder("latin1").decode(new TextEncoder().encode(texts.join("")));
    assert.equal(written, all);
  }));
});

Deno.test("C2 a long line is made bytes in small parts as these are written, and comes out whole before the next", async () => {
  const line = "ü💚".repeat(100_000);
  const parts: Uint8Array[] = [];
  const writer = new MessageWriter({
    write: (bytes) => Promise.resolve(parts.push(bytes.slice())).then(() => bytes.length),
  }, (thrown) => assert.fail(String(thrown)));
  void writer.writeLine(line);
  void writer.writeLine("next");
  assert.strictEqual(parts.length, 0);
  await writer.flush();
  assert.ok(parts.every(({ length }) => length <= 65_536));
  assert.strictEqual(new TextDecoder().decode(new Uint8Array(parts.flatMap((part) => [...part]))), `${line}\nnext\n`);
});

Deno.test("N3 the first write is told once, after its bytes are out", async () => {
  for (const isDirect of [true, false]) {
    const events: string[] = [];
    const write = (bytes: Uint8Array) => events.push(new TextDecoder().decode(bytes)) && bytes.length;
    const output = { write: (bytes: Uint8Array) => Promise.resolve(write(bytes)), ...isDirect && { writeNow: write } };
    const writer = new MessageWriter(output, (thrown) => assert.fail(String(thrown)), () => events.push("told"));
    await writer.writeLine("a");
    await writer.writeLine("b");
    assert.deepStrictEqual(events, ["a\n", "told", "b\n"]);
  }
});
