import { strict as assert } from "node:assert";
import fc from "fast-check";
import { textLines } from "./line_splitter.ts";

function split(chunks: Iterable<Uint8Array>, longestLine: number): string[] {
  const splitter = textLines(longestLine);
  const found: string[] = [];
  for (const chunk of chunks) {
    for (const line of splitter.push(chunk)) found.push(line ?? "<too long>");
    chunk.fill(0);
  }
  const isOpen = splitter.begun !== undefined;
  const rest = splitter.end();
  if (isOpen) found.push(rest ?? "<too long>");
  return found;
}

Deno.test("C2 LineSplitter finds the same lines however the bytes arrive, and leaves out only those that are too long", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "ü", "😀"), maxLength: 12 });
  fc.assert(fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 20 })), (lines, sizes) => {
    const bytes = new TextEncoder().encode(lines.map((one) => `${one}\n`).join(""));
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length;) {
      const size = sizes.length === 0 ? bytes.length : sizes[chunks.length % sizes.length] ?? 1;
      chunks.push(bytes.slice(at, at + size));
      at += size;
    }
    const expected = lines.map((one) => new TextEncoder().encode(one).length > 20 ? "<too long>" : one);
    assert.deepStrictEqual(split(chunks, 20), expected);
  }));
});

Deno.test("C2 LineSplitter gives the last line without a newline at the end", () => {
  assert.deepStrictEqual(split([new TextEncoder().encode("a\nb")], 10), ["a", "b"]);
  assert.deepStrictEqual(split([new TextEncoder().encode("a\n")], 10), ["a"]);
  assert.deepStrictEqual(split([new TextEncoder().encode("far too long")], 5), ["<too long>"]);
});
