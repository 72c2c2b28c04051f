import assert from "node:assert/strict";
import * as fc from "fast-check";
import { messageText, TerminalFilter } from "./terminal_text.ts";

function filtered(...chunks: readonly Uint8Array[]): string {
  const filter = new TerminalFilter();
  const text = new TextDecoder("utf-8", { ignoreBOM: true });
  return [...chunks.map((chunk) => filter.push(chunk)), filter.end()].map((bytes) => text.decode(bytes)).join("");
}

Deno.test("S22 messageText() leaves the program's own marks and writes out every other control", () => {
  assert.strictEqual(
    messageText("\x1b[1ma\x1b[0m\x1b[31mb\x1b[0m \x1b[8m\x1b[2J\r\u202e\u{e0041}\n\tz"),
    "\x1b[1ma\x1b[0m\x1b[31mb\x1b[0m \\u001b[8m\\u001b[2J\\u000d\\u202e\\udb40\\udc41\n\tz",
  );
});

Deno.test("S22 messageText() keeps what a text of JSON stands for", () => {
  fc.assert(
    fc.property(fc.json(), (text) => assert.deepStrictEqual(JSON.parse(messageText(text)), JSON.parse(text))),
  );
});

Deno.test("S22 TerminalFilter leaves colours, and movements within the line", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["plain größer 👍\r\n\t", "plain größer 👍\r\n\t"],
    ["\x1b[1;31mred\x1b[m", "\x1b[1;31mred\x1b[m\x1b[0m"],
    ["50 %\r100 %\bx", "50 %\r100 %\bx"],
    ["\x1b[?25lhidden\x1b[2J\x1b[5A\x9b3Jx", "hiddenx"],
    ["\x1b]52;c;ZXZpbA==\x07a\x1b]0;t\x1b\\b\x1bP1$r\x9cc\x9dno end\nd", "abc\nd"],
    ["\x1b(0a\x1b#8b\x1bcc\x1b", "abc"],
    ["\x1b[>4;1mx\x1b[1\x1b[2my", "x\x1b[2my\x1b[0m"],
    [`\x1b[${"1;".repeat(80)}mx`, "x"],
    ["\u202ea\u200bb\x00\x07", "ab"],
  ];
  assert.deepStrictEqual(
    cases.map(([text]) => filtered(new TextEncoder().encode(text))),
    cases.map(([, shown]) => shown),
  );
});

Deno.test("S22 TerminalFilter shows the same wherever the output is cut", () => {
  const piece = fc.constantFrom(
    "a",
    "ü",
    "\x1b",
    "[",
    "]",
    "1;31",
    "m",
    "\x07",
    "\\",
    "\n",
    "\r",
    "\x9b",
    "(",
    "👍",
    "J",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(), (pieces, place) => {
      const bytes = new TextEncoder().encode(pieces.join(""));
      const cut = place % (bytes.length + 1);
      const shown = filtered(bytes.subarray(0, cut), bytes.subarray(cut));
      assert.strictEqual(shown, filtered(bytes));
      // deno-lint-ignore no-control-regex -- what may not be shown
      assert.doesNotMatch(shown, /[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]|\x1b(?!\[[\d;:]*m)/);
    }),
  );
});
