import assert from "node:assert/strict";
import { pdfOf } from "./_support/pdf_of.ts";
import { mutantsOf, parseAll } from "../helper/_support/mutants.ts";

const WHOLE = pdfOf(["some words", "some words"]);
const WORDS = ["2 0 R", "1 0 R", "/Kids [2 0 R]", "/Count 99999999", "/Prev 0", "/Length -1", "<<", "[[[[", "(", "%"];
const FILTERS = ["/Filter /FlateDecode", "/Filter /LZWDecode", "/Filter [/ASCIIHexDecode /RunLengthDecode]", "/ObjStm"];
const MUTANTS = 200;

Deno.test("K3 a damaged PDF gives its text or an error, each time", async () => {
  const files = [WHOLE, ...mutantsOf(WHOLE, [...WORDS, ...FILTERS], MUTANTS)];
  const [whole, ...parsed] = await parseAll("pdf", {}, files);
  assert.deepEqual(whole, { text: "--- page 1 ---\nsome words\n--- page 2 ---\nsome words\n" });
  const problems = parsed.flatMap((one) => "problem" in one ? [one.problem] : []);
  assert.equal(parsed.length, MUTANTS);
  assert.ok(problems.length > 0 && problems.length < MUTANTS, `${problems.length} problems`);
  assert.deepEqual(problems.filter((problem) => problem === ""), []);
});
