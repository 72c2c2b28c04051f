import assert from "node:assert/strict";
import fc from "fast-check";
import { signatureOf } from "./signature.ts";

function shown(text: string, { kind = "function", from = "", body = "" } = {}): string {
  const extent = {
    kind,
    start: text.indexOf(from),
    end: text.length,
    body: body === "" ? undefined : text.indexOf(body),
  };
  return signatureOf(text, extent, "//");
}

Deno.test("K4 signatureOf() is what stands before a body, on one line", () => {
  assert.equal(
    shown("export default async function a(\n  b: c, // d\n) {", { from: "async", body: "{" }),
    "export default async function a( b: c, // d )",
  );
  assert.equal(shown("@Test(a(1)) @Other public int a() {", { body: "{" }), "public int a()");
  assert.equal(shown("#[cfg(test)]\npub struct A {\n  a: b }", { kind: "struct" }), "pub struct A");
});

Deno.test("K4 signatureOf() is one line of at most 160 characters, whatever the text is", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", " ", "\n", "@", "[", "(", ")", "]", "{", "=>", "//", "#"),
    maxLength: 400,
  });
  fc.assert(fc.property(text, fc.nat(400), fc.constantFrom("class", "function", "section"), (text, start, kind) => {
    const line = signatureOf(text, { kind, start, end: text.length, body: undefined }, "//");
    assert.ok(line.length <= 160 && !line.includes("\n"), line);
  }));
});
