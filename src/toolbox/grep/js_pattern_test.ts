import assert from "node:assert/strict";
import { jsPattern } from "./js_pattern.ts";
import { queryOf } from "./grep_query.ts";

const FITTING: readonly (readonly [pattern: string, text: string, args?: Record<string, unknown>])[] = [
  ["(?i)FOO", "a foo"],
  ["(?P<name>é)\\b", "café"],
  ["^[]a]$", "]"],
  ["a}", "a}"],
  ["\\d", "٣"],
  ["[\\w-]+@", "ü-1@"],
  ["\\#\\-", "#-"],
  ["\\p{Script=Greek}{2}", "αβ"],
  ["a.c[", "a.c[", { fixed_strings: true }],
];

for (const [pattern, text, args] of FITTING) {
  Deno.test(`K3 without rg the pattern ${pattern} fits ${text}`, () => {
    const made = jsPattern(queryOf({ pattern, ...args }));
    assert.ok(made.ok && made.value.test(text));
  });
}

const REFUSED: readonly (readonly [pattern: string, problem: string])[] = [
  ["(a", "Unterminated group"],
  ["[[:alpha:]]", '"[" needs "rg", which is not on the PATH: write the characters themselves'],
  ["a\\z", '"\\z" needs "rg", which is not on the PATH: write ^ and $'],
  ["(?x) a", '"(?x)" needs "rg", which is not on the PATH: leave the flags out'],
  ["a\\nb", "a single line has no line feed; multiline searches over lines"],
];

for (const [pattern, problem] of REFUSED) {
  Deno.test(`K3 without rg the pattern ${pattern} is refused with the reason`, () => {
    assert.deepEqual(jsPattern(queryOf({ pattern })), { ok: false, problem });
  });
}
