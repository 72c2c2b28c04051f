import assert from "node:assert/strict";
import { shorten, visibleStart, visibleText } from "./visible_text.ts";

Deno.test("visibleText() leaves what can be seen, in every script", () => {
  const texts = [
    "plain\ttext\nand more",
    "größer – „so“ …",
    "日本語 한국어 العربية עברית",
    "👩‍👩‍👧 👍🏽 ❤️",
    "می‌خواهم",
    "x²",
  ];
  assert.deepStrictEqual(texts.map(visibleText), texts);
});

Deno.test("visibleText() takes out what has no shape: escapes, directions, zero widths, tags", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["a\x1b[31mred\x1b[0m b", "ared b"],
    ["a\x1b]0;title\x07b\x9b2Jc", "abc"],
    ["a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "alink"],
    ["a\x1b]no end\x1b[1mb", "ab"],
    ["user\u202egpj.exe\u202c", "usergpj.exe"],
    ["zero\u200bwidth\ufeff\u2060", "zerowidth"],
    ["tag" + [..."hidden"].map((one) => String.fromCodePoint(0xe0000 + (one.codePointAt(0) ?? 0))).join(""), "tag"],
    ["a\r\nb\rc\u2028d\u0085e", "a\nb\nc\nd\ne"],
    ["\x00\x07bell\x7f", "bell"],
  ];
  assert.deepStrictEqual(cases.map(([text]) => visibleText(text)), cases.map(([, seen]) => seen));
});

Deno.test("shorten() and visibleStart() look at the start of a text alone, however long it is", () => {
  const long = `\u200bstart${"\u200b".repeat(70_000)}end`;
  assert.deepStrictEqual([shorten(long), visibleStart(long, 10)], ["start", "start"]);
  assert.deepStrictEqual([shorten("a  b", 3), visibleStart("abcd", 3)], ["a b", "abc…"]);
});
