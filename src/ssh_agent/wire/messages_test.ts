import assert from "node:assert/strict";
import fc from "fast-check";
import { concatenate } from "../../base/bytes.ts";
import { string, uint32 } from "./fields.ts";
import { identitiesAnswer, isSignature, readIdentities, readRequest, signMessage } from "./messages.ts";

const bytes = fc.uint8Array({ maxLength: 40 });

Deno.test("S42 requests and answers are read as they were written, and a byte more or less is none", () => {
  fc.assert(fc.property(bytes, bytes, fc.nat(0xffff_ffff), (key, data, flags) => {
    const message = signMessage({ key, data, flags });
    assert.deepEqual(readRequest(message), { kind: "sign", key, data, flags });
    assert.deepEqual(readRequest(concatenate([message, Uint8Array.of(0)])), { kind: "other" });
    assert.deepEqual(readRequest(message.subarray(0, -1)), { kind: "other" });
  }));
  fc.assert(
    fc.property(fc.array(fc.record({ key: bytes, comment: fc.string() }, { noNullPrototype: true })), (identities) => {
      assert.deepEqual(readIdentities(identitiesAnswer(identities)), identities);
    }),
  );
  assert.strictEqual(readIdentities(concatenate([Uint8Array.of(12), uint32(0xffff_ffff)])), undefined);
});

Deno.test("S42 a host is named by one extension only, and nothing else is a request", () => {
  const [hostKey, sessionId, signature] = [Uint8Array.of(1), Uint8Array.of(2, 2), Uint8Array.of(3)];
  const bind = (name: string) =>
    concatenate([
      Uint8Array.of(27),
      ...[name, hostKey, sessionId, signature].map((one) => string(one)),
      Uint8Array.of(1),
    ]);
  const read = { kind: "bind", hostKey, sessionId, signature, isForwarding: true };
  assert.deepEqual(readRequest(bind("session-bind@openssh.com")), read);
  assert.deepEqual(readRequest(bind("\ufeffsession-bind@openssh.com")), { kind: "other" });
  assert.deepEqual(readRequest(bind("restrict-destination-v00@openssh.com")), { kind: "other" });
  for (let type = 0; type < 256; type++) {
    if (type !== 11) assert.deepEqual(readRequest(Uint8Array.of(type)), { kind: "other" });
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (message) => {
    const { kind } = readRequest(message);
    assert.ok(kind === "other" || [11, 13, 27].includes(message[0] ?? 0));
  }));
});

Deno.test("S42 only a signature is passed on as one", () => {
  const answer = concatenate([Uint8Array.of(14), string("signature")]);
  assert.ok(isSignature(answer));
  for (const other of [answer.subarray(0, -1), Uint8Array.of(14, 0, 0, 0, 0), Uint8Array.of(5), new Uint8Array(0)]) {
    assert.ok(!isSignature(other));
  }
});
