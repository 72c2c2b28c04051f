import assert from "node:assert/strict";
import type { ListedOperation, ListedServer } from "../../../control/protocol/messages.ts";
import { changed } from "../../../control/client/watched_servers.ts";
import { PLAIN } from "../../terminal/colours.ts";
import { widthOf } from "../../terminal/columns.ts";
import { operationTable, rowsOf, sizeOf } from "./ps_table.ts";

const RUNNING: ListedOperation = {
  id: "op_RUNS0001",
  tool: "sandboxed_shell",
  title: "npm run dev",
  state: "running",
  elapsedMs: 1500,
  created: 1000,
  client: "claude 2.0",
  usage: { processes: 2, memoryBytes: 3 * 1024 ** 2, processorMs: 250 },
};
const ENDED: ListedOperation = { ...RUNNING, id: "op_ENDS0001", state: "failed", ended: "[failed]" };
const HOSTILE = "\x1b[2J\x1b]0;t\x07\u202e日本\n" + "x".repeat(1_000_000);

function server(...operations: readonly ListedOperation[]): ListedServer {
  return { pid: 4711, version: "1", mode: "stdio", scopes: ["/home/me/web"], operations, sessions: [] };
}

function table(servers: readonly ListedServer[], width: number): string {
  return operationTable(servers, { width, colours: PLAIN, home: "/home/me" });
}

Deno.test("V1 ps shows what runs first, then what waits, then what ended last, and says so where nothing runs", () => {
  const ended = Array.from({ length: 12 }, (_, index) => ({ ...ENDED, id: `op_E${index}`, created: index }));
  const queued: ListedOperation = { ...RUNNING, id: "op_WAITS001", state: "queued", created: 1 };
  const rows = rowsOf([server(...ended), server(queued, RUNNING)]).map(({ operation }) => operation.id);
  assert.deepStrictEqual(rows.slice(0, 4), ["op_RUNS0001", "op_WAITS001", "op_E11", "op_E10"]);
  const lines = table([server(...ended, queued, RUNNING)], 200).split("\n");
  assert.deepStrictEqual([lines[0], lines.length], ["1 running, 1 queued, of 1 server", 16]);
  assert.strictEqual(lines.at(-2), "and 2 more that ended: --json has them");
  assert.strictEqual(
    table([server(RUNNING)], 200),
    "1 running, of 1 server\n" +
      "OPERATION    STATE    TIME   CPU     MEMORY  SERVER  CLIENT      PROJECT  TOOL             COMMAND\n" +
      "op_RUNS0001  running  1.5 s  250 ms  3 MiB   4711    claude 2.0  ~/web    sandboxed_shell  npm run dev\n",
  );
  assert.strictEqual(table([server()], 200), "Nothing runs. There is 1 server:\n  4711  stdio  ~/web\n");
  assert.strictEqual(table([], 200), "Nothing runs: there is no server of yours on this machine\n");
});

Deno.test("V1 S22 ps keeps to the width of any terminal, and foreign text neither draws nor breaks a line", () => {
  const hostile = { ...RUNNING, tool: HOSTILE, title: HOSTILE, client: HOSTILE };
  const servers = [{ ...server(hostile, { ...hostile, ...ENDED, title: HOSTILE }), scopes: [`/p/${HOSTILE}`, "/q"] }];
  for (let width = 1; width < 260; width += 7) {
    const text = table(servers, width);
    const lines = text.trimEnd().split("\n");
    assert.strictEqual(lines.length, 4, `${width}: ${text}`);
    for (const line of lines) assert.ok(widthOf(line) <= width, `${width}: ${line}`);
    // deno-lint-ignore no-control-regex -- what must not be there
    assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f\u202e]/);
  }
  assert.match(table(servers, 60), /^OPERATION +STATE +TIME +COMMAND$/m);
  assert.match(table(servers, 160), /\\u001b\[2J\\u001b\]0;t\\u0007\\u202e/);
});

Deno.test("V1 a size has a unit that keeps it short", () => {
  assert.deepStrictEqual([0, 1, 1024 ** 2 - 1, 1.5 * 1024 ** 3, 5000 * 1024 ** 4].map(sizeOf), [
    "0 KiB",
    "1 KiB",
    "1 MiB",
    "1.5 GiB",
    "5000.0 TiB",
  ]);
});

Deno.test("V1 changes of operations keep a server's list bounded, with what runs in it", () => {
  let now = server(RUNNING);
  for (let index = 0; index < 300; index++) {
    now = changed(now, { event: "operation", operation: { ...ENDED, id: `op_${index}` } });
  }
  now = changed(now, { event: "operation", operation: { ...RUNNING, elapsedMs: 9000 } });
  assert.deepStrictEqual([now.operations.length, now.operations.at(-1)?.elapsedMs], [101, 9000]);
  assert.strictEqual(changed(now, { event: "answered" }), now);
});
