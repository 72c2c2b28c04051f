import assert from "node:assert/strict";
import type { ListedOperation, ListedSession } from "../../../control/protocol/messages.ts";
import { chooseTarget } from "./choose_target.ts";

const RUNNING: ListedOperation = {
  id: "op_A",
  tool: "sandboxed_shell",
  title: "sleep\x1b[2J 9",
  state: "running",
  elapsedMs: 1500,
};
const ENDED: ListedOperation = { ...RUNNING, id: "op_B", state: "failed", ended: "[op_B failed, exit code 2, 3 ms]" };

function server(operations: readonly ListedOperation[], sessions: readonly ListedSession[] = []) {
  const entry = { socket: "s", tokenFile: "t" };
  const facts = { pid: 1, version: "1", mode: "stdio", scopes: ["/project"] } as const;
  return { entry, server: { ...facts, operations, sessions } };
}

Deno.test("X24 chooseTarget() finds an operation or a session, or says what there is", () => {
  const idle = { name: "dev", directory: "/" };
  const one = server([RUNNING, ENDED], [idle]);
  const busy = server([{ ...RUNNING, id: "op_C" }], [{ ...idle, operation: "op_C" }, { name: "web", directory: "/" }]);
  const problem = (servers: Parameters<typeof chooseTarget>[0], name: string) => {
    const chosen = chooseTarget(servers, name);
    return chosen.ok ? chosen.value : chosen.problem;
  };
  assert.deepStrictEqual([problem([busy, one], "op_A"), problem([one, busy], "web")], [one, busy]);
  assert.match(String(problem([one], "op_B")), /^it has ended: \[op_B failed, exit code 2, 3 ms\]\. Its agent/);
  assert.strictEqual(problem([one, busy], "dev"), "2 agents have a session of that name. Name an operation: op_C");
  assert.match(String(problem([], "op_A")), /^no server of yours runs on this machine\. A server is found/);
  assert.strictEqual(problem([server([])], "op_A"), "no server of yours runs it. Nothing runs");
  assert.strictEqual(
    problem([one], "x"),
    "no server of yours runs it. Running:\n  op_A sandboxed_shell, running for 1.5 s: sleep 9 (/project)\n" +
      "  dev: a session that runs nothing now (/)",
  );
});
