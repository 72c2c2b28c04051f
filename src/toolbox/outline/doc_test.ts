import assert from "node:assert/strict";
import { type CommentForm, docOf, firstSentence } from "./doc.ts";

function doc(text: string, comment: CommentForm["comment"] = "//", { inBody = false } = {}): string {
  const lines = text.split("\n");
  const row = lines.findIndex((line) => line.startsWith("def"));
  const body = text.includes(":\n") ? text.indexOf(":\n") + 1 : undefined;
  return docOf({ text, lines, row, body, form: { comment, inBody } });
}

Deno.test("K4 docOf() is the first paragraph of the comment above a definition, or of the string in its body", () => {
  assert.equal(doc("a\n// One\n// two.\n//\n// Three.\n@attribute\ndef"), "One two.");
  assert.equal(doc("/**\n * One\n * two.\n * @param a b\n */\ndef"), "One two.");
  assert.equal(doc("//! about the file\n/// One.\n#[test]\ndef"), "One.");
  assert.equal(doc("#!/bin/sh\n# One.\ndef", "#"), "One.");
  assert.equal(doc("/// <summary>One.</summary>\ndef"), "One.");
  assert.equal(doc('# no\ndef:\n  """One\n  two."""\n', "#", { inBody: true }), "One two.");
  assert.deepEqual([doc("int a; /* no */\ndef"), doc("// no\n\ndef"), doc("def")], ["", "", ""]);
});

Deno.test("K4 firstSentence() ends at a full stop or is cut", () => {
  assert.equal(firstSentence("Reads a.ts. Then more.", 100), "Reads a.ts.");
  assert.equal(firstSentence("one two three", 8), "one two…");
});
