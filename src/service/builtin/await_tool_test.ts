import { strict as assert } from "node:assert";
import { skipping } from "../../base/_support/timers.ts";
import { makeService, PlayedRunner } from "../_support/connection.ts";
import { callTool } from "../call/call_tool.ts";

Deno.test("B2 await with a progress token says after 15 s without output what still runs", async () => {
  const runner = new PlayedRunner();
  const service = makeService({ runner });
  const context = { signal: new AbortController().signal, sendProgress: undefined };
  await callTool(service, { name: "sandboxed_shell", args: { command: "make" } }, context);
  const command = await runner.next();
  const heard = Promise.withResolvers<readonly [number, string]>();
  using _time = skipping(15_000);
  const waiting = callTool(service, { name: "await", args: {} }, {
    ...context,
    sendProgress: (progress, message) => {
      heard.resolve([progress, message ?? ""]);
      return Promise.resolve();
    },
  });
  const [progress, message] = await heard.promise;
  assert.strictEqual(progress, 1);
  assert.match(message, /^op_\w+ sandboxed_shell running for \d+ ms: make$/);
  command.exit(0);
  await waiting;
});

Deno.test("X20 await without a progress token answers after 50 s, however long its caller would wait", async () => {
  const runner = new PlayedRunner();
  const service = makeService({ runner });
  const context = { signal: new AbortController().signal, sendProgress: undefined };
  await callTool(service, {
    name: "sandboxed_shell",
    args: { command: "make", execution_mode: "AsyncResultPush" },
  }, context);
  await runner.next();
  const [operation] = service.registry.listActive();
  using _time = skipping(50_000);
  for (const condition of [{}, { until: "built" }]) {
    const args = { operation_id: operation?.id, timeout_seconds: 300, ...condition };
    const answer = await callTool(service, { name: "await", args }, context);
    assert.match(JSON.stringify(answer.content), /op_\w+ still runs after/);
  }
  await service.registry.shutdown(0);
});
