import { strict as assert } from "node:assert";
import fc from "fast-check";
import { countNewlines, hasControls } from "./byte_scan.ts";

// deno-lint-ignore no-control-regex -- control characters are what this is about
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;

/** What the text says that the bytes become. */
function byText(bytes: Uint8Array): boolean {
  return CONTROLS.test(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
}

Deno.test("X8 hasControls() finds each control character, wherever it stands, and nothing else", () => {
  const wrong: unknown[] = [];
  for (let character = 0; character < 0x180; character++) {
    const one = new TextEncoder().encode(String.fromCodePoint(character));
    for (const length of [0, 3, 61, 62, 63, 64, 65, 66, 67, 200]) {
      for (const offset of [0, 1, 2, 3]) {
        for (const at of new Set([0, 1, 2, 3, length >> 1, Math.max(0, length - 2), length])) {
          const whole = new Uint8Array(offset + length + one.length).fill(0x61);
          const bytes = whole.subarray(offset);
          if (at > length) continue;
          bytes.set(one, at);
          if (hasControls(bytes) !== byText(bytes)) wrong.push({ character, length, offset, at });
        }
      }
    }
  }
  assert.deepStrictEqual(wrong, []);
});

Deno.test("X8 hasControls() says of any bytes what the text says that they become", () => {
  const near = fc.constantFrom(
    0x09,
    0x0a,
    0x0d,
    0x1f,
    0x20,
    0x7e,
    0x7f,
    0x80,
    0x9b,
    0x9f,
    0xa0,
    0xc2,
    0xc3,
    0xe2,
    0xff,
  );
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.array(near, { maxLength: 300 }).map((all) => new Uint8Array(all)),
  );
  fc.assert(
    fc.property(bytes, fc.array(fc.constant(0x41), { maxLength: 80 }), (some, before) => {
      const whole = new Uint8Array([...before, ...some]);
      assert.strictEqual(hasControls(whole), byText(whole));
    }),
    { numRuns: 2000 },
  );
});

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
