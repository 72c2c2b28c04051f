import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeText } from "../../base/text.ts";
import { cleanText } from "../output/clean_text.ts";
import { LineFeed, placeBehind } from "./line_feed.ts";

Deno.test("X20 LineFeed gives whole lines without colours, and the place behind them", () => {
  const feed = new LineFeed(100);
  assert.strictEqual(feed.push(encodeText("\x1b[32mre")), undefined);
  assert.strictEqual(feed.unfinished()?.text, "re");
  const batch = feed.push(encodeText("ady\x1b[0m\n1%\r100%\npart")) ?? assert.fail();
  assert.strictEqual(batch.text, "ready\n100%\n");
  assert.deepStrictEqual([0, 1, 2].map((line) => placeBehind(batch, line)), [115, 123, 123]);
  assert.strictEqual(feed.unfinished()?.text, "part");
  assert.strictEqual(feed.end, 127);
});

Deno.test("X20 LineFeed gives a line in parts that is longer than 64 KiB", () => {
  const feed = new LineFeed(0);
  const half = encodeText("x".repeat(32 * 1024));
  assert.strictEqual(feed.push(half), undefined);
  assert.strictEqual(feed.push(half)?.text, "x".repeat(64 * 1024));
  assert.strictEqual(feed.unfinished(), undefined);
});

Deno.test("X20 LineFeed gives the same lines however the bytes are cut", () => {
  const piece = fc.oneof(fc.constantFrom("\n", "\r", "\r\n", "\x1b[1m", "é", "日本", "a b"), fc.string());
  fc.assert(fc.property(fc.array(piece), fc.array(fc.nat({ max: 200 })), (pieces, cuts) => {
    const bytes = encodeText(pieces.join(""));
    const feed = new LineFeed(0);
    const places = [0, ...cuts.filter((cut) => cut <= bytes.length).toSorted((a, b) => a - b), bytes.length];
    const batches = places.slice(1).map((end, index) => feed.push(bytes.subarray(places[index], end)));
    const text = [...batches, feed.unfinished()].map((batch) => batch?.text ?? "").join("");
    assert.strictEqual(text, cleanText(bytes, { keepAnsi: false }));
    assert.strictEqual(feed.end, bytes.length);
  }));
});
