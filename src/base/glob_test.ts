import assert from "node:assert/strict";
import fc from "fast-check";
import picomatch from "picomatch";
import { glob, type GlobSyntax } from "./glob.ts";

const CASES: readonly (readonly [syntax: GlobSyntax, pattern: string, fits: string, others: string])[] = [
  ["path", "a.ts", "a.ts", "b.ts a.tsx x/a.ts"],
  ["path", "*.ts", "a.ts .ts", "a/b.ts a.tsx"],
  ["path", "a?c", "abc a𝄞c a?c", "ac a/c abbc"],
  ["path", "**/a", "a b/a b/c/a", "ba b/ba a/b"],
  ["path", "a/**", "a/b a/b/c", "a ab/c"],
  ["path", "a/**/b", "a/b a/x/b a/x/y/b", "ab a/xb"],
  ["path", "a/**/**/b", "a/b a/x/b", "a b"],
  ["path", "**", "a a/b", ""],
  ["path", "a**b", "ab axxb", "a/b"],
  ["path", "[a-c]x", "ax bx", "dx abx"],
  ["path", "[!a-c]x", "dx -x", "ax /x"],
  ["path", "[^]a-]", "b ^", "] a -"],
  ["path", "[]]", "]", "["],
  ["path", "[\\]a]", "] a", "\\"],
  ["path", "[a", "[a", "a"],
  ["path", "a[/]b", "", "a/b"],
  ["path", "{a,b/c}*.{ts,tsx}", "a1.ts b/c.tsx", "b.ts a.js"],
  ["path", "{a,{b,c}x}", "a bx cx", "b ax x"],
  ["path", "{a,b", "{a,b", "a b"],
  ["path", "a},b", "a},b", "a"],
  ["path", "{,a}b", "b ab", "a"],
  ["path", "{**/,}a", "a b/a", "ba"],
  ["path", "app/(group)/[[]id].ts", "app/(group)/[id].ts", "app/group/i.ts"],
  ["path", "\\*\\{a\\}", "*{a}", "xa x{a}"],
  ["path", "a\\", "a\\", "a"],
  ["ignore", "{a,b}", "{a,b}", "a b"],
  ["ignore", "**/a*[0-9]", "a1 x/ab2", "a x/a/1"],
  ["name", "a*/?", "a/b a/b/c", "a/ b/c"],
  ["name", "[a]\\", "[a]\\", "a"],
];

for (const [syntax, pattern, fits, others] of CASES) {
  Deno.test(`S22 ${syntax} pattern ${pattern}`, () => {
    const test = glob(pattern, syntax);
    const list = (text: string) => text.split(" ").filter((one) => one !== "");
    assert.deepEqual([...list(fits), ...list(others)].filter(test), list(fits));
  });
}

Deno.test("S22 capitals of a pattern matter unless they are ignored", () => {
  const names = ["README.md", "readme.md", "ReadMe.MD"];
  assert.deepEqual(names.filter(glob("[R]*.md", "path")), ["README.md"]);
  assert.deepEqual(names.filter(glob("[R]*.mD", "path", { ignoreCase: true })), names);
});

const PIECES = ["a", "b", ".", "*", "?", "[ab]", "[^b]", "{a,b}", "{a,.b,}", "{a*,b?}"];
/** Two stars within a segment are no ordinary pattern. */
const SEGMENTS = fc.oneof(
  { weight: 1, arbitrary: fc.constant("**") },
  {
    weight: 4,
    arbitrary: fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(""))
      .filter((segment) => !/\*\*|\*\{|\}\*|\}\{|^\.+$|^\{a,\.b,\}$/.test(segment)),
  },
);
const PATTERNS = fc.array(SEGMENTS, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
const PATHS = fc.array(fc.constantFrom("a", "b", "ab", ".a", "a.b", "ba", "aab"), { minLength: 1, maxLength: 4 }).map((
  names,
) => names.join("/"));

Deno.test("S22 a path fits an ordinary pattern as picomatch, which takes longer for others, has it", () => {
  fc.assert(
    fc.property(PATTERNS, PATHS, (pattern, path) => {
      // For it "a/**" is also "a".
      const theirs = picomatch(pattern.replace(/\/\*\*$/, "/**/*"), { dot: true });
      assert.equal(glob(pattern, "path")(path), theirs(path), `${pattern} ${path}`);
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("S22 each character of a name is looked at once for each of a pattern's", () => {
  const name = "a".repeat(250);
  for (const pattern of ["*a".repeat(500), "{a,a*}".repeat(500), "[a]*?".repeat(500), "**/a/".repeat(500)]) {
    assert.ok(!glob(`${pattern}b`, "path")(`${name}xb`));
    assert.ok(!glob(`${pattern}b`, "path")(`${"a/".repeat(120)}xb`));
  }
});
