import assert from "node:assert/strict";
import fc from "fast-check";
import { applyEdits, type Edit } from "./apply_edits.ts";
import { decodeFile, encodeChanged, encodeFile } from "./file_text.ts";

function edit(oldText: string, newText: string, more: Partial<Edit> = {}): Edit {
  return { oldText, newText, all: false, occurrence: undefined, ...more };
}

/** The text after the edits and the liberties taken, or the problem. */
function applied(text: string, ...edits: readonly Edit[]): readonly [text: string, rungs: string] | string {
  const file = decodeFile(new TextEncoder().encode(text));
  assert.ok(file.ok);
  const result = applyEdits(file.value, edits);
  if (!result.ok) return result.problem;
  return [new TextDecoder().decode(encodeFile(file.value, result.value.units)), result.value.rungs.join()];
}

const ROWS:
  readonly (readonly [what: string, text: string, old: string, next: string, result: string, rung: string])[] = [
    ["exactly", "a\nbé\nc\n", "bé", "ü", "a\nü\nc\n", ""],
    ["with other line endings", "a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n", "line endings"],
    ["in a part with its own line endings", "a\nb\nc\r\nd\r\ne\r\n", "a\nb", "x\ny", "x\ny\nc\r\nd\r\ne\r\n", ""],
    ["but for blanks at the end of lines", "a  \nb\t\nc", "a\nb\n", "x\n", "x\nc", "trailing whitespace"],
    ["but for blanks that were asked for", "a\nb\n", "a \nb ", "x", "x\n", "trailing whitespace"],
    [
      "moved to the right",
      "{\n    a {\n      b\n    }\n}\n",
      "a {\n  b\n}",
      "a {\n  c\n\n  d\n}",
      "{\n    a {\n      c\n\n      d\n    }\n}\n",
      "indentation",
    ],
    ["moved to the left", "\ta\n\t\tb\n", "\t\t\ta\n\t\t\t\tb\n", "\t\t\tc\n", "\tc\n", "indentation"],
    [
      "with the numbers of a listing",
      "a\nb\nc\n",
      "     1\ta\n     2\tb",
      "1\tx\n2\ty\n3\tz",
      "x\ny\nz\nc\n",
      "line numbers",
    ],
    ["with other quotation marks", "say “hi” – now\n", 'say "hi" - now', "done", "done\n", "typography"],
    ["with a special space", "a\u00a0b\n", "a b", "c", "c\n", "typography"],
  ];

for (const [what, text, old, next, result, rung] of ROWS) {
  Deno.test(`K3 a text is replaced that is found ${what}`, () => {
    assert.deepEqual(applied(text, edit(old, next)), [result, rung]);
  });
}

Deno.test("K3 a liberty that finds several places is refused, whatever is asked for", () => {
  assert.match(
    String(applied("a  \na  \n", edit("a\n", "b\n", { all: true }))),
    /found 2 times, and only with another trailing/,
  );
  assert.deepEqual(applied("a\r\nb\r\na\r\nb\r\n", edit("a\nb", "c", { all: true })), ["c\r\nc\r\n", "line endings"]);
});

Deno.test("K3 what cannot be replaced is said with the way out", () => {
  assert.match(String(applied("a", edit("a", "a"))), /are equal/);
  assert.match(String(applied("a", edit("", "a"))), /is empty/);
  assert.equal(
    applied("a\nb\na\n", edit("a", "c", { occurrence: 3 })),
    "`occurrence` is 3, and `old_string` is found 2 times:\nline 1:\n1\ta\n2\tb\n3\ta\nline 3:\n1\ta\n2\tb\n3\ta",
  );
  assert.equal(
    applied("a\nb\n".repeat(21), edit("a", "c")),
    "`old_string` is found 21 times; give more lines around it, `occurrence`, or `replace_all`:\n" +
      `${Array.from({ length: 20 }, (_, at) => `${at * 2 + 1}\ta\n`).join("")}and 1 more`,
  );
  assert.equal(applied("zzz\n", edit("q", "r")), "`old_string` is not there, nor any line like it");
  assert.equal(
    applied("const size = 1;\nlet x;\n", edit("const size = 2;", "y")),
    "`old_string` is not there. The nearest lines are:\n1\tconst size = 1;",
  );
  assert.match(
    String(applied("x\nnew\n", edit("old", "new"))),
    /stands at line 2: the edit is probably already applied$/,
  );
  assert.match(String(applied("x", edit("x", "y"), edit("x", "z"))), /^edit 2 of 2: `old_string` is not there/);
});

Deno.test("K3 a text is looked for in a time that grows with the length of a row of blanks", () => {
  const blanks = " ".repeat(300_000);
  for (const old of ["\n\tno “place\n", "x\n\n y", '  "no"\n\n  -place ', "\n"]) {
    assert.equal(typeof applied(`${blanks}${blanks}x${blanks}`, edit(old, "new")), "string");
  }
});

Deno.test("K3 every byte outside of what is replaced stays, valid or not", () => {
  const bytes = fc.uint8Array({ maxLength: 40 }).map((found) => found.map((byte) => byte === 0 ? 1 : byte));
  fc.assert(
    fc.property(bytes, bytes, fc.string({ unit: fc.constantFrom("a", "é", "€", "😀") }), (before, after, next) => {
      const needle = new TextEncoder().encode("«needle»");
      const all = new Uint8Array([...before, ...needle, ...after]);
      const file = decodeFile(all);
      assert.ok(file.ok);
      fc.pre(file.value.encoding === "utf-8");
      const result = applyEdits(file.value, [edit("«needle»", next)]);
      assert.ok(result.ok);
      assert.deepEqual(
        encodeChanged(all, file.value, result.value),
        new Uint8Array([...before, ...new TextEncoder().encode(next), ...after]),
      );
    }),
  );
});
