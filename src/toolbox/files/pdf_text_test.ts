import assert from "node:assert/strict";
import { runsOf } from "fast-check";
import { pdfOf } from "./_support/pdf_of.ts";
import { mutantsOf, parseAll } from "../helper/_support/mutants.ts";
import { pageRange } from "./pdf_text.ts";

const WHOLE = pdfOf(["some words", "some words"]);
const WORDS = ["2 0 R", "1 0 R", "/Kids [2 0 R]", "/Count 99999999", "/Prev 0", "/Length -1", "<<", "[[[[", "(", "%"];
const FILTERS = ["/Filter /FlateDecode", "/Filter /LZWDecode", "/Filter [/ASCIIHexDecode /RunLengthDecode]", "/ObjStm"];
const MUTANTS = runsOf(100);

Deno.test("K3 a damaged PDF gives its text or an error, each time", async () => {
  const files = [WHOLE, ...mutantsOf(WHOLE, [...WORDS, ...FILTERS], MUTANTS)];
  const [whole, ...parsed] = await parseAll("pdf", {}, files);
  assert.deepEqual(whole, { text: "--- page 1 ---\nsome words\n--- page 2 ---\nsome words\n" });
  const problems = parsed.flatMap((one) => "problem" in one ? [one.problem] : []);
  assert.equal(parsed.length, MUTANTS);
  assert.ok(problems.length > 0 && problems.length < MUTANTS, `${problems.length} problems`);
  assert.deepEqual(problems.filter((problem) => problem === ""), []);
});

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
