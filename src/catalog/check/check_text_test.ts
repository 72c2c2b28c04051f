import assert from "node:assert/strict";
import { brokenTextDiagnostics, repeatsKeys } from "./check_text.ts";
import { loadCatalogFromTexts } from "../load/load.ts";

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
  const depth = 50_000;
  const text = '{"a":'.repeat(depth) + '"\\ud83d"' + "}".repeat(depth);
  const parsed = JSON.parse(text);
  assert.ok(!repeatsKeys(text, parsed));
  assert.deepStrictEqual(brokenTextDiagnostics(text, parsed).map(({ path }) => path), [new Array(32).fill("a")]);
});

/** Tags that spell words, an override of direction, a zero-width space, an invisible separator. */
const HIDDEN = ["\u{e0041}", "\u202e", "\u200b", "\u2063"];

async function load(option: object, rest: object = {}) {
  const tool = { name: "t", command: "x", description: "d", synchronous: true, options: [option], ...rest };
  return await loadCatalogFromTexts([{ file: "t.json", text: JSON.stringify(tool) }]);
}

Deno.test("T4 hidden characters in what the model gets word by word are refused, with the place and what it is", async () => {
  for (const hidden of HIDDEN) {
    const code = `U+${hidden.codePointAt(0)?.toString(16).toUpperCase()}`;
    const word = `a${hidden}b`;
    for (
      const [field, option] of Object.entries({
        name: { name: word },
        alias: { name: "o", alias: word },
        enum: { name: "o", enum: ["a", word] },
        default: { name: "o", default: word },
        pattern: { name: "o", pattern: word },
      })
    ) {
      const { leaves, diagnostics } = await load(option);
      const message = `"${field}" of an argument holds an invisible character (${code}): remove it`;
      const found = diagnostics.map((one) => [one.severity, one.pointer, one.message]);
      assert.deepStrictEqual([leaves.length, found], [0, [["error", `/options/0/${field}`, message]]]);
    }
  }
});

Deno.test("T4 what looks unusual and is seen is taken, and hidden characters in descriptions are taken out", async () => {
  const option = {
    name: "größe",
    enum: ["👩‍👩‍👧", "a\tb\r\n", "نص"],
    default: "نص",
    pattern: "",
    description: `d${HIDDEN.join("")}e`,
  };
  const { leaves, diagnostics } = await load(option);
  assert.deepStrictEqual(diagnostics.filter(({ severity }) => severity === "error"), []);
  assert.equal(leaves[0]?.options[0]?.description, "de");
});

Deno.test("T5 names of our own tools are reserved in any case, and so is __proto__", async () => {
  const own = ["Await", "STATUS", "sandboxed_Shell"].map((name) => [name, "Ahma's own tool"] as const);
  for (const [name, owner] of [...own, ["__proto__", "JavaScript's objects"] as const]) {
    const { leaves, diagnostics } = await load({ name: "o" }, { name });
    assert.deepStrictEqual([leaves.length, diagnostics.map(({ message }) => message)], [0, [
      `Tool name "${name}" is reserved for ${owner}: rename it`,
    ]]);
  }
  assert.deepStrictEqual((await load({ name: "__proto__" })).diagnostics.map(({ message }) => message), [
    'Argument name "__proto__" is reserved: rename it',
  ]);
  assert.equal((await load({ name: "o" }, { name: "awaits" })).leaves.length, 1);
});
