import assert from "node:assert/strict";
import { FoundLines, shownLine } from "./found_lines.ts";
import { grepAnswer } from "./grep_answer.ts";
import { queryOf, viewOf } from "./grep_query.ts";

/** Files with so many matches each, added in this order. */
function answer(files: Readonly<Record<string, number>>, args: Record<string, unknown>): string {
  const view = viewOf(args);
  const found = new FoundLines(view.mode === "content" ? view.offset + view.limit : 0);
  for (const [path, matches] of Object.entries(files)) {
    const lines = Array.from({ length: matches }, (_, at) => ({ number: at + 1, text: "x", isMatch: true }));
    found.add({ path, matches, lines: lines.slice(0, view.offset + view.limit) });
  }
  return grepAnswer(found, queryOf({ pattern: "x", ...args }), view);
}

const CASES: readonly (readonly [args: Record<string, unknown>, answer: string])[] = [
  [{ limit: 3 }, "a:1:x\nb:1:x\nb:2:x"],
  [{ limit: 2 }, "a:1:x\nb:1:x\n[2 of 3 matches in 2 files; continue with offset 2]"],
  [{ limit: 2, offset: 2 }, "b:2:x\n[1 of 3 matches in 2 files]"],
  [{ limit: 1, output_mode: "count" }, "a:1\n[1 of 2 files, 3 matches; continue with offset 1]"],
  [{ output_mode: "files_with_matches" }, "a\nb"],
  [{ line_numbers: false, limit: 1 }, "a:x\n[1 of 3 matches in 2 files; continue with offset 1]"],
];

for (const [args, expected] of CASES) {
  Deno.test(`K3 the part of matches that ${JSON.stringify(args)} asks for is shown, and the rest is told`, () => {
    assert.equal(answer({ b: 2, a: 1 }, args), expected);
  });
}

Deno.test("K3 however many matches there are, few lines are kept and all are counted", () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [String(9999 - at), 2]));
  assert.equal(answer(many, { limit: 1 }), "5000:1:x\n[1 of 10000 matches in 5000 files; continue with offset 1]");
});

Deno.test("K3 a long line is cut around its match", () => {
  const line = `${"a".repeat(1000)}match${"b".repeat(1000)}`;
  assert.equal(shownLine(line, 1000), `[column 901] …${"a".repeat(100)}match${"b".repeat(395)} … [+605 chars]`);
  assert.equal(shownLine("short\r", 0), "short");
});
