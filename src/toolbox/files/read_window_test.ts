import assert from "node:assert/strict";
import fc from "fast-check";
import { LineWindow, type WindowOptions } from "./read_window.ts";

/** The lines by splitting the whole text. */
function expected(text: string, { first, count, longestLine }: WindowOptions) {
  const parts = text.match(/[^\n]*\n|[^\n]+/g) ?? [];
  const lines = parts.slice(first - 1, first - 1 + count).map((part) => {
    const [, line = "", end = ""] = /^(.*?)(\r?\n|)$/s.exec(part) ?? [];
    const characters = Array.from(line);
    const shown = longestLine === undefined ? characters : characters.slice(0, longestLine);
    return { text: shown.join(""), cut: characters.length - shown.length, end };
  });
  return { lines, total: parts.length, hasMore: lines.length === count && parts.length > first - 1 + count };
}

const TEXT = fc.array(fc.constantFrom("a", "é", "漢", "🙂", "\n", "\r\n", "\r", "word "), { maxLength: 60 }).map((
  parts,
) => parts.join(""));

Deno.test("K3 a window shows the same lines whatever the chunks are", () => {
  fc.assert(fc.property(
    TEXT,
    fc.record({ first: fc.integer({ min: 1, max: 8 }), count: fc.integer({ min: 1, max: 8 }) }),
    fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    fc.integer({ min: 1, max: 7 }),
    (text, { first, count }, longestLine, size) => {
      const options = { first, count, budget: 10_000, ...longestLine !== undefined && { longestLine } };
      const window = new LineWindow(options);
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length; at += size) window.push(bytes.slice(at, at + size));
      window.finish();
      const { lines, total, hasMore } = window;
      assert.deepEqual({ lines: [...lines], total, hasMore }, expected(text, options));
    },
  ));
});

Deno.test("K3 a window ends at its budget, but shows one line in any case", () => {
  const window = new LineWindow({ first: 1, count: 100, budget: 40, longestLine: 100 });
  window.push(new TextEncoder().encode(`${"x".repeat(90)}\n${"y".repeat(9)}\n`));
  window.finish();
  assert.deepEqual(window.lines.map(({ text }) => text.length), [90]);
  assert.ok(window.hasMore);
});

Deno.test("K3 a last line without an ending does not make the line endings of a file mixed", () => {
  const endings = ["a\r\nb", "a\r\nb\r\n", "a\nb", "a", "", "a\r\nb\nc", "a\nb\r\n"].map((text) => {
    const window = new LineWindow({ first: 1, count: 9, budget: 100 });
    window.push(new TextEncoder().encode(text));
    window.finish();
    return window.endings;
  });
  assert.deepStrictEqual(endings, ["CRLF", "CRLF", "LF", "LF", "LF", "mixed", "mixed"]);
});
