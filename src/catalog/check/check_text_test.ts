import assert from "node:assert/strict";
import { brokenTextDiagnostics, repeatsKeys } from "./check_text.ts";

const TEXTS: readonly (readonly [string, boolean])[] = [
  ['{"a":1,"b":{"a":2}}', false],
  ['{"a":1,"a":1}', true],
  ['{"a" : 1, "b"\n: 2}', false],
  ['{"a" : 1, "a"\n: 2}', true],
  ['[{"x":{"a":1,"b":2,"a":3}}]', true],
  ['{"a":"\\"b\\":\\"c\\":"}', false],
  ['{"a":"\\"b\\":", "a":1}', true],
  ['{"__proto__":1,"constructor":2}', false],
  ['{"a":null,"b":[null,"x:"]}', false],
  ["null", false],
];

for (const [text, expected] of TEXTS) {
  Deno.test(`T4 repeatsKeys() says ${expected} of ${text}`, () => {
    assert.equal(repeatsKeys(text, JSON.parse(text)), expected);
  });
}

Deno.test("T4 brokenTextDiagnostics() points at each text and key with half a surrogate pair", () => {
  const text = '{"good":"\\ud83d\\udce6","half":"\\ud83d","list":["a",{"b":"\\udce6"}],"\\uD83D":1}';
  const places = brokenTextDiagnostics(text, JSON.parse(text)).map(({ path }) => path);
  assert.deepStrictEqual(places.map((path) => path.join("/")).toSorted(), ["half", "list/1/b", "\ud83d"]);
});

Deno.test("T4 any depth is survived", () => {
  const depth = 500_000;
  const text = '{"a":'.repeat(depth) + '"\\ud83d"' + "}".repeat(depth);
  const parsed = JSON.parse(text);
  assert.ok(!repeatsKeys(text, parsed));
  assert.deepStrictEqual(brokenTextDiagnostics(text, parsed).map(({ path }) => path), [new Array(32).fill("a")]);
});
