import { strict as assert } from "node:assert";
import { cleanText, collapseCarriageReturns, stripAnsi } from "./clean_text.ts";

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("X8 cleanText() replaces invalid UTF-8 and never fails", () => {
  assert.strictEqual(cleanText(Uint8Array.of(0x61, 0xff, 0x62, 0xc3), { keepAnsi: false }), "a\ufffdb\ufffd");
});

Deno.test("X8 cleanText() takes escapes out, and leaves them in when asked", () => {
  const coloured = bytes("\x1b[1;31merror\x1b[0m: ü\n");
  assert.strictEqual(cleanText(coloured, { keepAnsi: false }), "error: ü\n");
  assert.strictEqual(cleanText(coloured, { keepAnsi: true }), "\x1b[1;31merror\x1b[0m: ü\n");
});

Deno.test("X8 stripAnsi() knows titles, links, cursor moves, character sets and backspaces", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["\x1b]0;window title\x07text", "text"],
    ["\x1b]8;;http://a/\x1b\\link\x1b]8;;\x1b\\", "link"],
    ["\x1b[2K\x1b[1Gdone", "done"],
    ["\x1b[?25lhidden\x1b[?25h", "hidden"],
    ["\x1b[38;2;1;2;3mrgb\x1b[m", "rgb"],
    ["\x1b(Bascii\x1b=", "ascii"],
    ["\x9b31mred", "red"],
    ["\x1b]0;never ended\nnext line", "\nnext line"],
    ["b\bbo\bol\bld\bd", "bold"],
    ["\b\bx", "x"],
    ["a\x00b\x07c\td", "abc\td"],
    ["no escapes: [31m", "no escapes: [31m"],
  ];
  for (const [given, expected] of cases) assert.strictEqual(stripAnsi(given), expected);
});

Deno.test("X8 collapseCarriageReturns() keeps the last drawing of each line", () => {
  assert.strictEqual(collapseCarriageReturns("1 %\r50 %\r100 %\ndone\r\n"), "100 %\ndone\n");
  assert.strictEqual(collapseCarriageReturns("10 %\r20 %\r"), "20 %");
  assert.strictEqual(collapseCarriageReturns("\r\n\r\n"), "\n\n");
  assert.strictEqual(collapseCarriageReturns("plain\n"), "plain\n");
});

Deno.test("X8 stripAnsi() takes time in proportion to hostile input", () => {
  const started = performance.now();
  for (const piece of ["\x1b[", "\x1b]", "\x1b", "\x1b[0;", "\x9b", "a\b"]) stripAnsi(piece.repeat(500_000));
  assert.ok(performance.now() - started < 300_000, "minutes");
});

Deno.test("X8 stripAnsi() takes the one-character forms of U+0080 to U+009F out too", () => {
  assert.strictEqual(stripAnsi("a\u009b31mb\u009d52;c;aGk=\u009cc\u0090x\u001b\\d\u0085e\u009b 31mf"), "abcde 31mf");
});
