import assert from "node:assert/strict";
import fc from "fast-check";
import { messageOf } from "../../base/errors.ts";
import { readAnswer } from "./messages.ts";

Deno.test("K2 a worker's result keeps text, images and facts of its own, and no key by which a client finds operations", () => {
  const content = [{ type: "text", text: "a", extra: 1 }, { type: "image", data: "AA==", mimeType: "image/png" }];
  const _meta = { "ahma/replaced_rev": "ab", "ahma/operation": { id: "op_1" }, "ahma/flow": {} };
  const result = { content, isError: true, _meta, structuredContent: {}, task: { taskId: "t" } };
  assert.deepEqual(readAnswer({ kind: "result", id: 1, result, more: 1 }), {
    kind: "result",
    id: 1,
    result: {
      content: [{ type: "text", text: "a" }, { type: "image", data: "AA==", mimeType: "image/png" }],
      isError: true,
      _meta: { "ahma/replaced_rev": "ab" },
    },
  });
});

Deno.test("K2 what is no message of a worker is refused", () => {
  const result = (content: unknown) => ({ kind: "result", id: 1, result: { content } });
  const link = { type: "resource_link", uri: "file:///etc/passwd", name: "a" };
  const wrong = [null, [], 1, { kind: "result", id: 1 }, { kind: "progress", id: "1", progress: {} }, result("a")];
  for (const message of [...wrong, result([null]), result([link]), result([{ type: "text", text: 1 }])]) {
    assert.throws(() => readAnswer(message), /^Error: A (message of no known kind|result with)/);
  }
  fc.assert(fc.property(fc.jsonValue(), (message) => {
    try {
      assert.ok(["progress", "result"].includes(readAnswer(message).kind));
    } catch (thrown) {
      assert.match(messageOf(thrown), /^A (message|result)/);
    }
  }));
});
