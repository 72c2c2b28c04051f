import assert from "node:assert/strict";
import fc from "fast-check";
import { isPartialName, nameProblem, promptNameOf, withoutEnding } from "./prompt_name.ts";

Deno.test("Q1 Q5 promptNameOf() is the path without its ending, folders kept", () => {
  const names = [
    ["plan.md", "plan"],
    ["review/code.md", "review/code"],
    ["a.markdown", "a"],
    ["a.liquid", "a"],
    ["a.md.liquid", "a"],
    ["a.markdown.liquid", "a"],
    ["a.liquid.md", "a"],
    ["v1.2.md", "v1.2"],
    ["README", undefined],
    ["tool.json", undefined],
    [".md", undefined],
    ["folder/.md", undefined],
  ] as const;
  assert.deepStrictEqual(names.map(([path]) => [path, promptNameOf(path)]), names);
});

Deno.test("Q1 Q5 a name finds its file with and without every ending, whatever it holds", () => {
  const endings = fc.constantFrom(".markdown.liquid", ".md.liquid", ".liquid.md", ".markdown", ".liquid", ".md");
  const part = fc.string({ minLength: 1 }).filter((text) => withoutEnding(text) === text && !text.endsWith("/"));
  fc.assert(fc.property(part, endings, (name, ending) => {
    // A name that ends in a part of an ending makes a longer one of it.
    fc.pre(withoutEnding(name + ending) === name);
    assert.strictEqual(promptNameOf(name + ending), name);
    assert.strictEqual(withoutEnding(promptNameOf(name + ending) ?? ""), name);
  }));
});

Deno.test("Q2 isPartialName() looks at every part of the path", () => {
  const names = ["_guards", "review/_format", "_parts/format", ".system", "plan", "review/code", "a_b", "v1.2"];
  assert.deepStrictEqual(names.filter(isPartialName), ["_guards", "review/_format", "_parts/format", ".system"]);
});

Deno.test("Q1 nameProblem() refuses what clients cannot show", () => {
  assert.deepStrictEqual(nameProblem("review/code 2"), undefined);
  assert.deepStrictEqual(nameProblem("a\u202eb"), "holds U+202E");
  assert.deepStrictEqual(nameProblem("a\nb"), "holds a control character or a backslash");
  assert.deepStrictEqual(nameProblem("x".repeat(129)), "has 129 characters, at most 128 are allowed");
});
