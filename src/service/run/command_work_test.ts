import assert from "node:assert/strict";
import type { WorkControl } from "../../operation/operation.ts";
import { makeService, PlayedRunner } from "../_support/connection.ts";
import { requestWork } from "./command_work.ts";

Deno.test("N4 X8 output that is written faster than it can be kept makes its command wait", async () => {
  const kept = Promise.resolve();
  const control: WorkControl = {
    operation: { id: "op_1", tool: "a" },
    signal: new AbortController().signal,
    write: () => kept,
    answer() {},
    protectedChanged: () => {},
    connected: () => {},
    running: () => {},
    say: () => {},
  };
  const runner = new PlayedRunner((command) => command.exit(0));
  const request = { run: { shell: "yes" }, directory: "/scope", environment: {}, stdin: undefined };
  await requestWork(makeService({ runner }), request)(control);
  const command = await runner.next();
  assert.strictEqual(command.write("y"), kept);
});
