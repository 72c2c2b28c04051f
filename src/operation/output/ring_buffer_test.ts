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
