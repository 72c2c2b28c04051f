import assert from "node:assert/strict";
import { UserError } from "../../base/errors.ts";
import { globTest, pathTest } from "./glob_pattern.ts";

const PATHS = ["a.ts", "src/b.ts", "src/c/d.tsx", "src/E.ts", ".env", "src/.hidden/f.ts"];
const CASES: readonly (readonly [patterns: readonly string[], found: readonly string[], caseSensitive?: boolean])[] = [
  [["*.ts"], ["a.ts", "src/b.ts", "src/E.ts", "src/.hidden/f.ts"]],
  [["src/*.ts"], ["src/b.ts", "src/E.ts"]],
  [["./src/**/*.{ts,tsx}"], ["src/b.ts", "src/c/d.tsx", "src/E.ts", "src/.hidden/f.ts"]],
  [["/a.ts"], ["a.ts"]],
  [["/project/src/c/"], ["src/c/d.tsx"]],
  [["e.ts"], ["src/E.ts"]],
  [["e.ts"], [], true],
  [["E.TS"], []],
  [["*.ts", "!src/**"], ["a.ts"]],
  [["!*.ts"], ["src/c/d.tsx", ".env"]],
  [[".*"], [".env"]],
];

for (const [patterns, found, caseSensitive] of CASES) {
  Deno.test(`K3 patterns ${patterns.join(" ")}${caseSensitive === true ? " with capitals that matter" : ""}`, () => {
    const fits = globTest(patterns, { caseSensitive, directory: "/project" });
    assert.deepEqual(PATHS.filter(fits), found);
  });
}

Deno.test("K3 a pattern of paths also means what has exactly its name, and never what is excluded", () => {
  const found = (...patterns: readonly string[]) => PATHS.filter(pathTest(patterns, { directory: "/project" }));
  assert.deepEqual(found("src/c", "!*.ts"), ["src/c/d.tsx"]);
  assert.deepEqual(found("/project/src/", "!src/c/**"), ["src/b.ts", "src/E.ts", "src/.hidden/f.ts"]);
  assert.deepEqual(found("."), PATHS);
  assert.deepEqual(found("!src/**"), ["a.ts", ".env"]);
});

Deno.test("K3 patterns of shells that are not understood are refused with the way out, others stand for themselves", () => {
  const tested = (pattern: string) => globTest([pattern], { directory: "/project" });
  for (const pattern of ["!(a|b).ts", "*.!(ts)", "@(a|b)", "+(a|b).ts", "a".repeat(5_000)]) {
    assert.throws(() => tested(pattern), UserError);
  }
  assert.ok(tested("app/(group)/*(a)")("app/(group)/b(a)"));
});
