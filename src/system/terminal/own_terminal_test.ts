import assert from "node:assert/strict";
import { changed } from "./own_terminal.ts";

Deno.test("X24 changed() alters only what a mode is about", () => {
  const before = new Uint8Array(64).fill(255);
  const differing = (mode: Parameters<typeof changed>[1]) =>
    Array.from(changed(before, mode)).flatMap((byte, at) => byte === 255 ? [] : [[at, byte]]);
  assert.deepStrictEqual(differing({ kind: "lines", end: 0x1d }), [[28, 0x1d]]);
  // The time and the number of keys to wait for are characters 5 and 6.
  const waits = [[22, 0], [23, 1]];
  assert.deepStrictEqual(differing({ kind: "silent" }), [[12, 0xff & ~(2 | 8)], ...waits]);
  const keys = [[0, 0xff & ~0x32], [1, 0xff & ~0x05], [4, 0xff & ~1], [12, 0xff & ~(1 | 2 | 8)], [13, 0x7f], ...waits];
  assert.deepStrictEqual(differing({ kind: "keys" }), keys);
});
