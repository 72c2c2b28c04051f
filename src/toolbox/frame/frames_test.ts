import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeFrame, FrameReader } from "./frames.ts";

Deno.test("K2 messages arrive whole, whatever pieces their bytes come in", () => {
  fc.assert(fc.property(fc.array(fc.jsonValue()), fc.array(fc.integer({ min: 1, max: 40 })), (messages, sizes) => {
    const bytes = Uint8Array.from(messages.flatMap((message) => [...encodeFrame(message)]));
    const reader = new FrameReader();
    const read: unknown[] = [];
    let at = 0;
    for (let turn = 0; at < bytes.length; turn++) {
      const size = sizes[turn % sizes.length] ?? bytes.length;
      read.push(...reader.push(bytes.subarray(at, at + size)));
      at += size;
    }
    assert.deepEqual(read, JSON.parse(JSON.stringify(messages)));
  }));
});

Deno.test("K2 bytes that are no message end the reading", () => {
  assert.throws(() => new FrameReader().push(Uint8Array.of(255, 255, 255, 255)), /too long/);
  assert.throws(() => new FrameReader().push(Uint8Array.of(0, 0, 0, 1, 123)), SyntaxError);
});
