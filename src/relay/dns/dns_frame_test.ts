import assert from "node:assert/strict";
import fc from "fast-check";
import { concatenate } from "../../base/bytes.ts";
import { queryBytes } from "./_support/queries.ts";
import { framed, takeFrame } from "./dns_frame.ts";

Deno.test("S30 messages over TCP are taken one by one, in whatever parts they come", () => {
  const [one, other] = [queryBytes(), queryBytes({ name: "registry.npmjs.org" })];
  const stream = concatenate([framed(one), framed(other)]);
  fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 60, maxLength: 60 }), (sizes) => {
    const messages: Uint8Array[] = [];
    let kept: Uint8Array = new Uint8Array(0);
    let at = 0;
    for (const size of sizes) {
      kept = concatenate([kept, stream.subarray(at, at + size)]);
      at += size;
      for (let frame = takeFrame(kept); typeof frame === "object"; frame = takeFrame(kept)) {
        messages.push(frame.message);
        kept = frame.rest;
      }
    }
    assert.deepStrictEqual(messages, at < stream.length ? messages : [one, other]);
  }));
});

Deno.test("S30 a length over TCP that no query has ends the connection", () => {
  assert.deepStrictEqual(takeFrame(Uint8Array.of(0, 0)), "invalid");
  assert.deepStrictEqual(takeFrame(Uint8Array.of(0, 11)), "invalid");
  assert.deepStrictEqual(takeFrame(Uint8Array.of(0xff, 0xff)), "invalid");
  assert.deepStrictEqual(takeFrame(new TextEncoder().encode("GET / HTTP/1.1")), "invalid");
  assert.deepStrictEqual(takeFrame(Uint8Array.of(0, 12, 1)), "more");
  assert.deepStrictEqual(takeFrame(Uint8Array.of(0)), "more");
});
