import assert from "node:assert/strict";
import fc from "fast-check";
import { ignoredRules, isIgnored } from "./ignore_comments.ts";

Deno.test("K8 a comment of any language excepts a file from the rules that it names", () => {
  const text =
    "// ahma rule ignore no-*\n# sah rule ignore security/key\n/* ahma rule ignore a?*/ <!-- sah rule ignore b-->\n" +
    "-- ahma rule ignore c\nahma rule ignore d";
  const patterns = ignoredRules(text);
  assert.deepEqual(patterns, ["no-*", "security/key", "a?", "b", "c"]);
  const rules = ["no-todo", "quality/no-todo", "security/key", "ab", "a", "b", "bb", "d", "e/c"];
  assert.deepEqual(rules.map((rule) => isIgnored(rule, patterns)), [
    true,
    true,
    true,
    true,
    false,
    true,
    false,
    false,
    true,
  ]);
});

Deno.test("K8 a pattern of stars fits as an expression of it does", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 8 });
  const name = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 8 });
  fc.assert(fc.property(word, name, (pattern, rule) => {
    const expression = new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`);
    assert.equal(isIgnored(rule, [pattern]), expression.test(rule));
  }));
});
