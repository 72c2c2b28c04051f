import assert from "node:assert/strict";
import fc from "fast-check";
import { hiddenParts, partsOf, termsOf } from "./words.ts";

Deno.test("K4 partsOf() splits identifiers of every manner", () => {
  for (const name of ["getUserName", "get_user_name", "get-user-name", "GetUserName", "GET_USER_NAME"]) {
    assert.deepEqual(partsOf(name), ["get", "user", "name"]);
  }
  assert.deepEqual(partsOf("parseHTMLDocument2Text"), ["parse", "html", "document2", "text"]);
  assert.deepEqual(partsOf("größeÄndern"), ["größe", "ändern"]);
  assert.equal(hiddenParts("const getUserName = plain(userName)"), "get user name");
  assert.deepEqual(termsOf("user-user  Name?"), ["user", "name"]);
});

Deno.test("K4 partsOf() loses no letter or digit", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
    const kept = text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
    assert.equal(partsOf(text).join(""), kept);
  }));
});
