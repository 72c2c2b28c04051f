import assert from "node:assert/strict";
import fc from "fast-check";
import { textBytes } from "../parse/host_name.ts";
import { type BodyLength, RequestBody } from "./request_body.ts";

const SECOND = "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n";

/** What is taken of a text that comes in parts of this size; undefined: it is refused. */
function taken(length: BodyLength, text: string, part = text.length): string | undefined {
  const body = new RequestBody(length);
  let all = "";
  for (let at = 0; at < text.length; at += part) {
    const piece = text.slice(at, at + part);
    const count = body.take(textBytes(piece));
    if (count === undefined) return undefined;
    all += piece.slice(0, count);
  }
  return all;
}

Deno.test("S31 a body ends where its length says, in whatever parts it comes, and nothing behind it is taken", () => {
  const bodies: readonly (readonly [BodyLength, string])[] = [
    [0, ""],
    [5, "hello"],
    ["chunked", "0\r\n\r\n"],
    ["chunked", "5\r\nhello\r\n00000010\r\n0\r\n\r\n0123456789!\r\n0\r\n\r\n"],
    ["chunked", "a\r\n\r\n\r\n\r\n\r\n\r\n\r\n0\r\n\r\n"],
  ];
  for (const [length, body] of bodies) {
    for (const part of [1, 2, 3, 7, 1000]) {
      assert.deepStrictEqual([body, part, taken(length, body + SECOND, part)], [body, part, body]);
    }
  }
});

Deno.test("S31 a body in parts that servers could read differently is refused", () => {
  const wrong = [
    "5\nhello\r\n0\r\n\r\n",
    "5;x=y\r\nhello\r\n0\r\n\r\n",
    " 5\r\nhello\r\n0\r\n\r\n",
    "5 \r\nhello\r\n0\r\n\r\n",
    "+5\r\nhello\r\n0\r\n\r\n",
    "0x5\r\nhello\r\n0\r\n\r\n",
    "\r\n5\r\nhello\r\n0\r\n\r\n",
    "5\r\nhelloX\r\n0\r\n\r\n",
    "5\r\nhello\n0\r\n\r\n",
    "5\r\nhello\r\n0\r\nX: y\r\n\r\n",
    "5\r\nhello\r\n0\r\n\n",
    "000000005\r\nhello\r\n0\r\n\r\n",
    "g\r\n",
    "\r\n",
    "\0",
  ];
  assert.deepStrictEqual(wrong.filter((text) => taken("chunked", text) !== undefined), []);
  assert.deepStrictEqual(wrong.filter((text) => taken("chunked", text, 1) !== undefined), []);
});

Deno.test("S31 parts of any sizes and any bytes are taken whole", () => {
  const parts = fc.array(fc.string({ minLength: 1, maxLength: 300, unit: "binary-ascii" }));
  fc.assert(fc.property(parts, fc.integer({ min: 1, max: 50 }), (texts, part) => {
    const body = [...texts.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`), "0\r\n\r\n"].join("");
    assert.strictEqual(taken("chunked", body + SECOND, part), body);
  }));
});
