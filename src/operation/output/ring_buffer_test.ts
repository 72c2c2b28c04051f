import { strict as assert } from "node:assert";
import fc from "fast-check";
import { RingBuffer } from "./ring_buffer.ts";

Deno.test("RingBuffer keeps the last bytes, whatever the chunks", () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 });
  fc.assert(fc.property(chunks, fc.nat(50), (written, capacity) => {
    const ring = new RingBuffer(capacity);
    for (const chunk of written) ring.write(chunk);
    const all = written.flatMap((chunk) => [...chunk]);
    const expected = capacity === 0 ? [] : all.slice(-capacity);
    assert.deepStrictEqual([...ring.toBytes()], expected);
    assert.ok(ring.heldBytes <= capacity);
    ring.trim();
    assert.deepStrictEqual([[...ring.toBytes()], ring.heldBytes], [expected, expected.length]);
    ring.write(Uint8Array.of(1));
    assert.deepStrictEqual([...ring.toBytes()], capacity === 0 ? [] : [...all, 1].slice(-capacity));
  }));
});

Deno.test("X8 RingBuffer gives a part of what it keeps, across the end of its memory", () => {
  const ring = new RingBuffer(5);
  for (const text of ["abc", "def", "g"]) ring.write(new TextEncoder().encode(text));
  const part = (...place: [number?, number?]) => new TextDecoder().decode(ring.toBytes(...place));
  assert.deepStrictEqual([part(), part(1, 3), part(4, 9), part(5), part(9)], ["cdefg", "def", "g", "", ""]);
  assert.strictEqual(new RingBuffer(5).toBytes(0, 3).length, 0);
});
