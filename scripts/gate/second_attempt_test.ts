import assert from "node:assert/strict";
import { filesToTryAgain, unstableText } from "./second_attempt.ts";

function failure(file: string, text = "AssertionError") {
  return { name: `of ${file}`, file, text };
}

Deno.test("filesToTryAgain() gives each file of few failures once", () => {
  assert.deepStrictEqual(filesToTryAgain([]), []);
  assert.deepStrictEqual(filesToTryAgain([failure("a.ts"), failure("b.ts"), failure("a.ts")]), ["a.ts", "b.ts"]);
  assert.deepStrictEqual(filesToTryAgain([failure("a.ts"), failure("b.ts"), failure("c.ts")]), []);
});

Deno.test("filesToTryAgain() gives nothing where an attack was allowed", () => {
  const [allowed, control] = [
    "B01  read a file, as root  allowed (1 way)",
    "B01  read a file, as root  control failed",
  ];
  assert.deepStrictEqual(filesToTryAgain([failure("tests/attacks/root_test.ts", allowed)]), []);
  assert.deepStrictEqual(filesToTryAgain([failure("tests/attacks/root_test.ts", control)]), [
    "tests/attacks/root_test.ts",
  ]);
  assert.deepStrictEqual(filesToTryAgain([failure("tests/ask_test.ts", allowed)]), ["tests/ask_test.ts"]);
});

Deno.test("unstableText() begins with the number that .ci/run counts as passed", () => {
  assert.deepStrictEqual(
    [unstableText([failure("a.ts")]), unstableText([failure("a.ts"), failure("b.ts")]).split("\n")[0]],
    [
      "Unstable: 1 test passed at a second attempt only:\n  of a.ts (a.ts)",
      "Unstable: 2 tests passed at a second attempt only:",
    ],
  );
});
