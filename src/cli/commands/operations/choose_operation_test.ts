import assert from "node:assert/strict";
import type { ListedOperation } from "../../../control/protocol/messages.ts";
import { chooseOperation, splitName } from "./choose_operation.ts";

const RUNNING: ListedOperation = {
  id: "op_ABCD1234",
  tool: "sandboxed_shell",
  title: "sleep\x1b[2J 9",
  state: "running",
  elapsedMs: 1500,
};
const LINE = "sandboxed_shell, running for 1.5 s: sleep 9";

function server(pid: number, ...operations: readonly ListedOperation[]) {
  const entry = { socket: `${pid}`, tokenFile: "t" };
  return { entry, server: { pid, version: "1", mode: "stdio" as const, scopes: ["/p"], operations, sessions: [] } };
}

Deno.test("V1 an operation is named by its id, a beginning of it, or with its server", () => {
  const names = ["op_AB", "ab", "7/op_ab", "", "x/y", "OP_", "7/"];
  assert.deepStrictEqual(names.map((name) => Object.values(splitName(name))), [
    [undefined, "op_AB"],
    [undefined, "op_AB"],
    [7, "op_AB"],
    [undefined, "op_"],
    [undefined, "op_X/Y"],
    [undefined, "op_"],
    [7, "op_"],
  ]);
  const [one, two] = [server(7, RUNNING, { ...RUNNING, id: "op_ABCE0000" }), server(8, RUNNING)];
  const chosen = (servers: Parameters<typeof chooseOperation>[0], name: string) => {
    const found = chooseOperation(servers, name);
    return found.ok ? [found.value.found.server.pid, found.value.operation.id] : found.problem;
  };
  assert.deepStrictEqual(
    [chosen([one], "op_ABCD1234"), chosen([one], "abcd"), chosen([one, two], "8/op_ABCD1234"), chosen([two], "op_A")],
    [[7, "op_ABCD1234"], [7, "op_ABCD1234"], [8, "op_ABCD1234"], [8, "op_ABCD1234"]],
  );
  assert.strictEqual(
    chosen([one, two], "op_ABCD1234"),
    `several operations are meant:\n  7/op_ABCD1234 ${LINE}\n  8/op_ABCD1234 ${LINE}`,
  );
  assert.match(
    String(chosen([one], "abc")),
    /^several operations are meant:\n {2}7\/op_ABCD1234 .*\n {2}7\/op_ABCE0000 /,
  );
  assert.strictEqual(chosen([two], "op_ABCD1235"), `no server of yours has it. Similar:\n  op_ABCD1234 ${LINE}`);
  assert.strictEqual(chosen([two], ""), `no server of yours has it. Running:\n  op_ABCD1234 ${LINE}`);
  assert.strictEqual(chosen([server(9)], "zz"), "no server of yours has it. Nothing runs");
  assert.strictEqual(chosen([one, two], "9/op_A"), "no server of yours has the process id 9. There are 7, 8");
  assert.match(String(chosen([], "op_A")), /^no server of yours runs on this machine\. A server is found/);
  const many = Array.from({ length: 8 }, (_, index) => ({ ...RUNNING, id: `op_Q${index}` }));
  assert.match(String(chosen([server(1, ...many)], "q")), /\n {2}and 3 more$/);
});
