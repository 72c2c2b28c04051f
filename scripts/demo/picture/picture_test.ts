import assert from "node:assert/strict";
import fc from "fast-check";
import { pictureOf } from "./picture.ts";
import { Screen } from "../screen.ts";

/** The texts of a picture's lines, without marks. */
function linesOf(picture: string): readonly string[] {
  return Array.from(
    picture.matchAll(/<text [^>]*>(.*)<\/text>/g),
    ([, row = ""]) =>
      row.replace(/<[^>]*>/g, "").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
  );
}

Deno.test("D3 pictureOf() shows what the demonstration writes, in its colours", () => {
  let text = "";
  const screen = new Screen({ colour: true, write: (some) => text += some });
  screen.step(1, "The <kernel> & you");
  screen.asks("echo");
  screen.good("denied");
  const picture = pictureOf(text);
  assert.deepStrictEqual(linesOf(picture), ["  1  The <kernel> & you", "     → echo", "     ✓ denied"]);
  assert.match(picture, /<tspan font-weight="bold">The &lt;kernel&gt; &amp; you<\/tspan>/);
  assert.match(picture, /<tspan fill="#5fd38d">✓<\/tspan> denied/);
  assert.match(picture, /height="86"/);
});

Deno.test("D3 pictureOf() keeps every text of up to 108 characters, and cuts longer lines (property)", () => {
  const line = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 200 });
  fc.assert(fc.property(fc.array(line, { minLength: 1 }), (lines) => {
    const expected = lines.map((one) => one.length > 108 ? `${one.slice(0, 107)}…` : one);
    assert.deepStrictEqual(linesOf(pictureOf(lines.join("\n"))), expected);
  }));
});
