import assert from "node:assert/strict";
import fc from "fast-check";
import { ByteReader } from "./byte_reader.ts";

Deno.test("S30 S31 numbers and parts are read in their order, and beyond the end there is nothing", () => {
  const reader = new ByteReader(Uint8Array.of(1, 2, 3, 0xff, 0xff, 0xff, 0xff, 0, 2, 7, 8, 9));
  assert.deepStrictEqual([reader.uint(1), reader.uint(2), reader.uint(4)], [1, 0x0203, 0xffff_ffff]);
  const part = reader.sized(2);
  assert.deepStrictEqual([part.left, part.uint(2), part.left, reader.at, reader.left], [2, 0x0708, 0, 11, 1]);
  assert.deepStrictEqual([reader.isShort, reader.uint(2), reader.isShort, reader.left], [false, 0, true, 0]);
  assert.deepStrictEqual([reader.take(0).length, reader.uint(1), reader.isShort], [0, 0, true]);
});

Deno.test("S30 S31 no sequence of reads passes the end", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 30 }), fc.array(fc.nat(12)), (bytes, lengths) => {
    const reader = new ByteReader(bytes);
    const read = lengths.flatMap((length) => [...reader.take(length)]);
    assert.deepStrictEqual(read, [...bytes.subarray(0, read.length)]);
    assert.ok(reader.at + reader.left === bytes.length && reader.left >= 0);
  }));
});
