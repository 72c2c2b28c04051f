import assert from "node:assert/strict";
import { picture, tableOf } from "./chart.ts";
import type { Curve } from "./growth.ts";

const CURVE: Curve = {
  title: "A < B",
  axis: "things",
  unit: "ms",
  sizes: [0, 1, 10],
  lines: [{ name: "ours", values: [1, 10, 100] }, { name: "other", values: [1, 1, 1] }],
};

Deno.test("N1 picture() draws each value of each line where both logarithmic axes put it", () => {
  const svg = picture([CURVE, CURVE, CURVE]);
  const paths = [...svg.matchAll(/points="([^"]*)"/g)].map(([, points]) => points);
  const [rising, flat] = ["50,200 225,122 400,44", "50,200 225,200 400,200"];
  assert.deepStrictEqual(paths, [rising, flat, rising, flat, rising, flat]);
  assert.match(svg, /^<svg [^>]*viewBox="0 0 840 480"[^]*>A &lt; B<\/text>[^]*translate\(0 240\)[^]*<\/svg>\n$/);
});

Deno.test("N1 tableOf() has a row for each size", () => {
  assert.strictEqual(
    tableOf(CURVE),
    `**A < B**

| things | ours, ms | other, ms |
| --- | --- | --- |
| 0 | 1.000 | 1.000 |
| 1 | 10.0 | 1.000 |
| 10 | 100 | 1.000 |`,
  );
});
