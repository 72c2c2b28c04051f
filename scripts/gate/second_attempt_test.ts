import assert from "node:assert/strict";
import { filesToTryAgain, passedAgain, unstableText } from "./second_attempt.ts";

function failure(file: string, text = "AssertionError") {
  return { name: `of ${file}`, file, text };
}

Deno.test("filesToTryAgain() gives each file of few failures once", () => {
  assert.deepStrictEqual(filesToTryAgain([]), []);
  assert.deepStrictEqual(filesToTryAgain([failure("a.ts"), failure("b.ts"), failure("a.ts")]), ["a.ts", "b.ts"]);
  assert.deepStrictEqual(filesToTryAgain([failure("a.ts"), failure("b.ts"), failure("c.ts")]), []);
});

Deno.test("filesToTryAgain() gives the file that ran a test, not the one that registered it", () => {
  const failed = failure("tests/_support/sharing.ts", "Error: Failed in tests/http/input_test.ts\nCaused by: no");
  assert.deepStrictEqual(filesToTryAgain([failed]), ["tests/http/input_test.ts"]);
});

Deno.test("passedAgain() counts a second attempt only where each failed test ran and nothing failed", () => {
  const failed = failure("tests/a_test.ts");
  const ran = (...names: readonly string[]) => names.map((name) => ({ name, file: "tests/a_test.ts", seconds: 1 }));
  const all = ran("another", failed.name);
  assert.deepStrictEqual([
    passedAgain([failed], { success: true, tests: all }),
    passedAgain([failed], { success: false, tests: all }),
    passedAgain([failed], { success: true, tests: ran("another") }),
  ], [true, false, false]);
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
