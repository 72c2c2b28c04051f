import { strict as assert } from "node:assert";
import { foreignResult } from "./remote_call.ts";

const CONTENT = [{ type: "text", text: "said\u200b" }];

Deno.test("O6 a result keeps its content and its own facts, and loses what only this program may say", () => {
  const result = {
    content: CONTENT,
    structuredContent: { a: 1 },
    isError: false,
    task: { taskId: "op_1", status: "working" },
    resultType: "input_required",
    operation_id: "op_1",
    _meta: {
      "ahma/operation": { operation_id: "op_1" },
      "io.modelcontextprotocol/related-task": { taskId: "op_1" },
      "mcp/x": 1,
      "tools.mcp.com/x": 1,
      "mcpx.com/x": 1,
      own: 1,
    },
  };
  assert.deepStrictEqual(foreignResult("srv", { result }), {
    content: CONTENT,
    structuredContent: { a: 1 },
    isError: false,
    _meta: { "mcpx.com/x": 1, own: 1 },
  });
  assert.deepStrictEqual(foreignResult("srv", { result: { content: CONTENT, _meta: { "ahma/hops": 0 } } }), {
    content: CONTENT,
  });
});

Deno.test("O6 a refusal is told without hidden characters, and not at any length", () => {
  const refused = foreignResult("srv", { error: { code: -1, message: `no\u200b\u001b[31m ${"y".repeat(10_000)}` } });
  assert.deepStrictEqual(refused, {
    content: [{ type: "text", text: `srv: no ${"y".repeat(4_093)}…` }],
    isError: true,
  });
  assert.deepStrictEqual(foreignResult("srv", { result: { content: "none" } }), {
    content: [{ type: "text", text: "srv: The server answered without content" }],
    isError: true,
  });
  assert.deepStrictEqual(foreignResult("srv", { result: { content: [...CONTENT, { type: "text" }, 7] } }), {
    content: [{ type: "text", text: "srv: The server answered with malformed content (item 2)" }],
    isError: true,
  });
});
