import assert from "node:assert/strict";
import { formsOf } from "./forms.ts";

Deno.test("S33 formsOf() finds a secret as servers write it: in JSON, addresses and base64 at any place", () => {
  const value = 'pass/wo"rd+=&1~?';
  const written = [
    value,
    JSON.stringify({ value }),
    JSON.stringify({ value }).replaceAll("/", "\\/"),
    `/?t=${encodeURIComponent(value)}`,
    ...["", "a", "ab", "user:"].flatMap((before) => {
      const text = btoa(before + value + before);
      return [text, text.replaceAll("+", "-").replaceAll("/", "_")];
    }),
  ];
  for (const text of written) assert.ok(formsOf(value).some((one) => text.includes(one)), text);
  // A token of letters and digits is written in one way but for base64.
  assert.equal(formsOf("ghp0123456789").length, 4);
});
