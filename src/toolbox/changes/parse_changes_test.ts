import assert from "node:assert/strict";
import fc from "fast-check";
import { parseNameStatus, parseStatus } from "./parse_changes.ts";

const PATH = fc.string({ minLength: 1, maxLength: 20 }).filter((path) => !path.includes("\0"));
const CHANGED = fc.oneof(
  fc.record({ letter: fc.constantFrom("A", "M", "D", "T"), path: PATH }),
  fc.record({ letter: fc.constantFrom("R", "C"), path: PATH, from: PATH }),
);

Deno.test("K10 changed files are read from git's list, whatever their names", () => {
  fc.assert(fc.property(fc.array(CHANGED), (files) => {
    const text = files.map((file) =>
      "from" in file ? `${file.letter}100\0${file.from}\0${file.path}\0` : `${file.letter}\0${file.path}\0`
    ).join("");
    assert.deepEqual(parseNameStatus(text), files.map((file) => ({ ...file })));
  }));
});

Deno.test("K10 uncommitted files are read from git's status, of the index and of the work tree", () => {
  const hashes = "100644 100644 100644 1111 2222";
  const text = [
    `1 .M N... ${hashes} a b.txt`,
    `1 AM N... ${hashes} new.txt`,
    `1 D. N... ${hashes} gone.txt`,
    `2 R. N... ${hashes} R100 to.txt`,
    "from.txt",
    `u UU N... 100644 100644 100644 100644 1 2 3 both.txt`,
    "? un followed.txt",
    "",
  ].join("\0");
  assert.deepEqual(parseStatus(text), [
    { letter: "M", path: "a b.txt" },
    { letter: "A", path: "new.txt" },
    { letter: "D", path: "gone.txt" },
    { letter: "R", path: "to.txt", from: "from.txt" },
    { letter: "U", path: "both.txt" },
    { letter: "??", path: "un followed.txt" },
  ]);
});
