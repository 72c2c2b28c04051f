import { strict as assert } from "node:assert";
import fc from "fast-check";
import { OperationOutput } from "./output.ts";

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

Deno.test("X8 OperationOutput keeps everything while it fits", () => {
  const output = new OperationOutput({ headBytes: 4, tailBytes: 4 });
  output.write(encode("a\nb"));
  output.write(encode("\ncd\n"));
  assert.deepStrictEqual(
    [decode(output.head()), decode(output.tail()), output.totalLines, output.droppedBytes],
    ["a\nb\n", "cd\n", 3, 0],
  );
});

Deno.test("X8 OperationOutput keeps head and tail and counts all bytes and lines, whatever the chunks", () => {
  const byte = fc.constantFrom(10, 65, 66);
  const chunks = fc.array(fc.array(byte, { maxLength: 30 }), { maxLength: 20 });
  fc.assert(fc.property(chunks, fc.nat(20), fc.nat(20), (written, headBytes, tailBytes) => {
    const output = new OperationOutput({ headBytes, tailBytes });
    for (const chunk of written) output.write(Uint8Array.from(chunk));
    const all = written.flat();
    const head = all.slice(0, headBytes);
    const rest = all.slice(headBytes);
    const tail = tailBytes === 0 ? [] : rest.slice(-tailBytes);
    const dropped = rest.slice(0, rest.length - tail.length);
    output.trim();
    assert.deepStrictEqual([...output.head()], head);
    assert.deepStrictEqual([...output.tail()], tail);
    assert.deepStrictEqual(
      [output.totalBytes, output.droppedBytes, output.totalLines, output.heldBytes],
      [all.length, dropped.length, all.filter((value) => value === 10).length, head.length + tail.length],
    );
  }));
});

Deno.test("X8 N4 OperationOutput never holds more than its window and takes 11 MB in passing", () => {
  const output = new OperationOutput();
  const chunk = encode("1234567\n".repeat(8192));
  const started = performance.now();
  for (let count = 0; count < 170; count++) output.write(chunk);
  const elapsed = performance.now() - started;
  assert.strictEqual(output.totalBytes, 170 * 65536);
  assert.strictEqual(output.totalLines, 170 * 8192);
  assert.ok(output.heldBytes <= 1024 * 1024);
  // The aim is 20 ms; what moved the window for each chunk would take minutes.
  assert.ok(elapsed < 300_000, `took ${elapsed} ms`);
});

Deno.test("OperationOutput keeps its own copy of a chunk", () => {
  const output = new OperationOutput();
  const chunk = encode("abc");
  output.write(chunk);
  chunk.fill(0);
  assert.strictEqual(decode(output.head()), "abc");
});
