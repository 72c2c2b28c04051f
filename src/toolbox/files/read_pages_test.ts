import assert from "node:assert/strict";
import { pageRange } from "./read_pages.ts";

const RANGES: readonly (readonly [range: string | undefined, total: number, pages: string])[] = [
  [undefined, 20, "1-20"],
  [undefined, 21, 'it has 21 pages; name at most 20 of them, as in pages "1-20"'],
  ["3", 9, "3-3"],
  [" 2 - 5 ", 4, "2-4"],
  ["0", 4, 'pages "0" is not a range of its 4 pages, such as "1-5"'],
  ["5-6", 4, 'pages "5-6" is not a range of its 4 pages, such as "1-5"'],
  ["1-21", 40, 'pages "1-21" are more than 20 pages; ask for fewer at a time'],
];

for (const [range, total, pages] of RANGES) {
  Deno.test(`K3 pages ${range ?? "without a range"} of ${total}`, () => {
    const read = pageRange(range, total);
    assert.equal(read.ok ? `${read.value.from}-${read.value.to}` : read.problem, pages);
  });
}
