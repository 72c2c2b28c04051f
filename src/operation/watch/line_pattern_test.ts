import assert from "node:assert/strict";
import fc from "fast-check";
import { failure } from "../../base/outcome.ts";
import { readLinePattern } from "./line_pattern.ts";

async function occurs(source: string, text: string): Promise<boolean> {
  const read = await readLinePattern(source);
  return read.ok ? read.value.occursIn(text) : assert.fail(read.problem);
}

Deno.test("X20 readLinePattern() takes a text as it stands, and what stands between slashes as a pattern", async () => {
  const rows: readonly (readonly [source: string, text: string, occurs: boolean])[] = [
    ["Local:", "  Local: http://x", true],
    ["Local:", "local:", false],
    ["a.c", "abc", false],
    ["a.c", "xa.cx", true],
    ["/a.c/", "xabcx", true],
    ["/^b$/", "a\nb\nc", true],
    ["/^B$/i", "a\nb\nc", true],
    ["/^a$/", "ab", false],
    ["/ready in \\d+ ms/", "ready in 312 ms", true],
    ["/usr", "/usr/bin", true],
    ["//", "http://x", true],
  ];
  for (const [source, text, expected] of rows) assert.strictEqual(await occurs(source, text), expected, source);
});

Deno.test("X20 readLinePattern() names what it cannot read", async () => {
  assert.deepStrictEqual(
    await readLinePattern("/a(?=b)/"),
    failure(
      "Cannot read the pattern /a(?=b)/: error parsing regexp: invalid or unsupported Perl syntax: `(?=`. " +
        "It has the syntax of RE2; without slashes it is a text",
    ),
  );
  assert.deepStrictEqual(
    await readLinePattern(" \n"),
    failure("A text to wait for needs a character that is not a blank"),
  );
  assert.deepStrictEqual(
    await readLinePattern("/[a-z]{1000}/"),
    failure("The pattern /[a-z]{1000}/ is too large: it has 1002 steps, at most 500 are allowed"),
  );
  assert.deepStrictEqual(
    await readLinePattern("x".repeat(1001)),
    failure("A text to wait for has at most 1000 characters"),
  );
});

Deno.test("X20 S22 a pattern made to explode takes a time that grows with the length of the line", async () => {
  for (const source of ["/(a+)+$/", "/(a|a)*b/", "/(.*a){12}/", "/(?:a?){40}a{40}/"]) {
    await occurs(source, `${"a".repeat(30_000)}!`);
  }
});

Deno.test("X20 a text that readLinePattern() reads as such occurs where it was put", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string(), fc.string({ minLength: 1 }), async (before, after, source) => {
      fc.pre(source.trim() !== "" && !/^\/.+\/i?$/s.test(source));
      assert.ok(await occurs(source, before + source + after));
    }),
  );
});
