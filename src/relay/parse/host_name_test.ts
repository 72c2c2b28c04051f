import assert from "node:assert/strict";
import fc from "fast-check";
import { byteText, hostNameOf, isNumericHost, nameOfLabels, textBytes } from "./host_name.ts";

Deno.test("S30 S31 a host name has one form, and whatever is not one has none", () => {
  assert.deepStrictEqual(["GitHub.com", "_dmarc.x--y", "a", "xn--bcher-kva.de"].map(hostNameOf), [
    "github.com",
    "_dmarc.x--y",
    "a",
    "xn--bcher-kva.de",
  ]);
  const others = [
    "",
    ".",
    "a.",
    ".a",
    "a..b",
    "a b",
    "a\0",
    "a\n",
    "b\xfccher.de",
    "\u212a",
    "*.a",
    "a:1",
    "[::1]",
    "a/b",
  ];
  assert.deepStrictEqual(others.map(hostNameOf), others.map(() => undefined));
  const long = [`${"a".repeat(63)}.b`, `${"a".repeat(64)}.b`, "a.".repeat(126) + "a", "a.".repeat(126) + "aa"];
  assert.deepStrictEqual(long.map((name) => hostNameOf(name) !== undefined), [true, false, true, false]);
  assert.deepStrictEqual([nameOfLabels([]), nameOfLabels(["a.b"]), nameOfLabels(["A", "b"])], ["", undefined, "a.b"]);
});

Deno.test("S31 what programs take for an IPv4 address is not a name", () => {
  const numeric = ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "a.0X1", "017700000001", "1.2.3.4.5"];
  assert.deepStrictEqual(numeric.filter((text) => !isNumericHost(text)), []);
  assert.deepStrictEqual(["a", "1.a", "1.2.3.4x", "0xg", "a.x1"].filter(isNumericHost), []);
});

Deno.test("S30 S31 bytes as text are the same bytes again", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
    assert.deepStrictEqual(textBytes(byteText(bytes)), bytes);
  }));
  assert.strictEqual(byteText(new Uint8Array(16_384).fill(0xe9)).length, 16_384);
});
