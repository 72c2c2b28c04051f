import assert from "node:assert/strict";
import { readProfile } from "./sbpl_reader.ts";

Deno.test("readProfile() reads names, strings, regular expressions and lists", () => {
  assert.deepStrictEqual(readProfile('(a "b\\")" #"^/d\\.e$")\n(f (g))\n'), [
    [{ kind: "name", name: "a" }, { kind: "text", text: 'b")' }, { kind: "regex", source: "^/d\\.e$" }],
    [{ kind: "name", name: "f" }, [{ kind: "name", name: "g" }]],
  ]);
});

Deno.test("readProfile() refuses what is not one whole statement a line", () => {
  for (
    const wrong of ["(a", "(a))\n", "(a) (b)\n", "(a\n b)\n", '(a "b)\n', "a\n", "(a;b)\n", "(a)", "\n", "(a  b)\n"]
  ) {
    assert.throws(() => readProfile(wrong), SyntaxError, wrong);
  }
});
