import assert from "node:assert/strict";
import { type FileKind, kindOf } from "./read_kind.ts";

const UTF_8: FileKind = { kind: "text", encoding: "utf-8", mark: 0 };
const KINDS: readonly (readonly [what: string, bytes: readonly number[], kind: FileKind])[] = [
  ["nothing", [], UTF_8],
  ["UTF-8", [...new TextEncoder().encode("grün\n")], UTF_8],
  ["half a character at the end of what was read", [0x61, 0xc3], { kind: "text", encoding: "windows-1252", mark: 0 }],
  ["a byte order mark", [0xef, 0xbb, 0xbf, 0x61], { kind: "text", encoding: "utf-8", mark: 3 }],
  ["UTF-16", [0xff, 0xfe, 0x61, 0], { kind: "text", encoding: "utf-16le", mark: 2 }],
  ["Latin 1", [0x67, 0x72, 0xfc, 0x6e], { kind: "text", encoding: "windows-1252", mark: 0 }],
  ["a zero byte", [0x61, 0, 0x61], { kind: "binary", type: "binary data" }],
  ["control characters that are no UTF-8", [0xff, 0x01, 0x61], { kind: "binary", type: "binary data" }],
  ["a program", [0x7f, 0x45, 0x4c, 0x46, 2], { kind: "binary", type: "ELF program" }],
  ["a picture", [0xff, 0xd8, 0xff, 0xe0], { kind: "image", type: "image/jpeg" }],
  ["WebP", [...new TextEncoder().encode("RIFF....WEBP")], { kind: "image", type: "image/webp" }],
];

for (const [what, bytes, kind] of KINDS) {
  Deno.test(`K3 a file with ${what} is known by its first bytes`, () => {
    assert.deepEqual(kindOf(new Uint8Array(bytes), { isWhole: true }), kind);
  });
}

Deno.test("K3 a character that is cut by the end of what was read is no fault of a text", () => {
  assert.deepEqual(kindOf(new Uint8Array([0x61, 0xc3]), { isWhole: false }), UTF_8);
});
