import assert from "node:assert/strict";
import { globTest, loadPicomatch } from "./glob_pattern.ts";

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
  Deno.test(`K3 patterns ${patterns.join(" ")}${caseSensitive === true ? " with capitals that matter" : ""}`, async () => {
    const fits = globTest(patterns, { caseSensitive, directory: "/project" }, await loadPicomatch());
    assert.deepEqual(PATHS.filter(fits), found);
  });
}
