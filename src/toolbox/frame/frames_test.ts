import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeFrame, FrameReader, rawHeader } from "./frames.ts";

Deno.test("K2 messages arrive whole, whatever pieces their bytes come in", () => {
  const message = fc.oneof(fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value))), fc.uint8Array());
  fc.assert(fc.property(fc.array(message), fc.array(fc.integer({ min: 1, max: 40 })), (messages, sizes) => {
    const frames = messages.map((one) =>
      one instanceof Uint8Array ? [...rawHeader(one.length), ...one] : encodeFrame(one)
    );
    const bytes = Uint8Array.from(frames.flatMap((frame) => [...frame]));
    const reader = new FrameReader();
    const read: unknown[] = [];
    let at = 0;
    for (let turn = 0; at < bytes.length; turn++) {
      const size = sizes[turn % sizes.length] ?? bytes.length;
      read.push(...reader.push(bytes.subarray(at, at + size)));
      at += size;
    }
    assert.deepEqual(read, messages);
  }));
});

Deno.test("K2 bytes that are no message end the reading", () => {
  assert.throws(() => new FrameReader().push(Uint8Array.of(255, 255, 255, 255)), /too long/);
  assert.throws(() => new FrameReader().push(Uint8Array.of(0, 0, 0, 1, 123)), SyntaxError);
});
