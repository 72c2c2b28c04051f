import assert from "node:assert/strict";
import fc from "fast-check";
import { isOfLogin, pastedQuery, readCallback } from "./callback.ts";

function fine(): void {}

function foreign(): never {
  throw new Error("mismatch");
}

Deno.test("O3 isOfLogin() takes one state, the right one", () => {
  const queries = [
    "state=abc&code=1",
    "state=abd",
    "state=ab",
    "state=abcd",
    "code=1",
    "state=abc&state=abc",
    "state=",
  ];
  const ours = queries.map((query) => isOfLogin(new URLSearchParams(query), "abc"));
  assert.deepStrictEqual(ours, [true, false, false, false, false, false, false]);
});

Deno.test("O3 isOfLogin() is true for no other text", () => {
  fc.assert(fc.property(fc.string(), fc.string({ minLength: 1 }), (given, state) => {
    assert.strictEqual(isOfLogin(new URLSearchParams({ state: given }), state), given === state);
  }));
});

Deno.test("O3 readCallback() looks at the issuer before anything else, and shows no text of a foreign one", () => {
  const evil = readCallback(new URLSearchParams("error=x&error_description=call+me&iss=https://evil"), foreign);
  const why = "The answer does not come from the authorization server of this login (iss)";
  assert.deepStrictEqual(evil, { kind: "refused", why });
  assert.deepStrictEqual(readCallback(new URLSearchParams("code=c&iss=https://a"), fine), {
    kind: "code",
    code: "c",
    iss: "https://a",
  });
  const why2 = (query: string) => {
    const read = readCallback(new URLSearchParams(query), fine);
    return read.kind === "refused" ? read.why : read;
  };
  assert.deepStrictEqual(["error=access_denied&error_description=no%1b[31m", "code=", "code=a&code=b", ""].map(why2), [
    "The authorization server refused the login: access_denied (no)",
    "The authorization server sent no code",
    "The authorization server sent no code",
    "The authorization server sent no code",
  ]);
});

Deno.test("O3 pastedQuery() reads an address, a query, and nothing else", () => {
  const queries = [
    " http://localhost:8080/callback?code=a&state=b\r",
    "?code=a&state=b",
    "code=a&state=b",
    "hello",
    "",
  ];
  const wanted = ["code=a&state=b", "code=a&state=b", "code=a&state=b", undefined, undefined];
  assert.deepStrictEqual(queries.map((text) => pastedQuery(text)?.toString()), wanted);
});
