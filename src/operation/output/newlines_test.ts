import { strict as assert } from "node:assert";
import fc from "fast-check";
import { countNewlines } from "./newlines.ts";

Deno.test("countNewlines() counts as a plain loop does, at every alignment", () => {
  const anyByte = fc.oneof(fc.constant(10), fc.constantFrom(0, 9, 11, 0x0b, 0x8a, 0xff, 0x0a ^ 0x80), fc.nat(255));
  fc.assert(fc.property(fc.array(anyByte, { maxLength: 3000 }), fc.nat(7), (values, offset) => {
    const bytes = new Uint8Array(offset + values.length).subarray(offset);
    bytes.set(values);
    assert.strictEqual(countNewlines(bytes), values.filter((value) => value === 10).length);
  }));
});

Deno.test("countNewlines() counts a buffer that is nothing but newlines", () => {
  assert.strictEqual(countNewlines(new Uint8Array(1_000_003).fill(10)), 1_000_003);
});
