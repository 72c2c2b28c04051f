import { strict as assert } from "node:assert";
import fc from "fast-check";
import { LineSplitter } from "./line_splitter.ts";

function split(chunks: Iterable<Uint8Array>, longestLine: number): string[] {
  const splitter = new LineSplitter(longestLine);
  const found: string[] = [];
  for (const chunk of chunks) {
    for (const line of splitter.push(chunk)) {
      if (line.kind === "line") found.push(new TextDecoder().decode(line.bytes));
      if (line.kind === "too_long") found.push("<too long>");
    }
    chunk.fill(0);
  }
  const rest = splitter.end();
  if (rest !== undefined) found.push(new TextDecoder().decode(rest));
  return found;
}

Deno.test("C2 LineSplitter finds the same lines however the bytes arrive, and skips only those that are too long", () => {
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

Deno.test("C2 LineSplitter tells the first bytes of a line that is too long at once, and its last ones at its end", () => {
  const bytes = new TextEncoder().encode(`start ${"x".repeat(3_000)} end`);
  fc.assert(fc.property(fc.integer({ min: 1, max: 4_000 }), (size) => {
    const splitter = new LineSplitter(2_000);
    const told: string[] = [];
    const take = (chunk: Uint8Array) => {
      for (const line of splitter.push(chunk)) {
        const words = line.kind === "too_long" ? line.start : line.kind === "skipped" ? line.end : line.bytes;
        const text = new TextDecoder().decode(words);
        told.push(`${line.kind} ${text.length} ${text.slice(0, 6)} ${text.slice(-4)}`);
      }
    };
    for (let at = 0; at < bytes.length; at += size) take(bytes.slice(at, at + size));
    const early = told.length;
    take(new TextEncoder().encode("\nnext\n"));
    assert.deepStrictEqual([early, ...told], [
      1,
      "too_long 512 start  xxxx",
      "skipped 512 xxxxxx  end",
      "line 4 next next",
    ]);
  }));
});
