import assert from "node:assert/strict";
import { type ListeningSystem, listensAt } from "./listening.ts";

const HEADER = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
/** Port 0x0BB8 is 3000. */
const LISTENER =
  "   5: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 777 1 0 20 4 30 10 -1\n";
const CONNECTION = LISTENER.replace(" 0A ", " 01 ");

function system(table: string, holders: Readonly<Record<number, readonly string[]>>): ListeningSystem {
  return {
    tablesOf: (pid) => pid === 9 ? [] : [HEADER, HEADER + table],
    socketsOf: (pid) => holders[pid] ?? [],
  };
}

Deno.test("X20 listensAt() counts only listeners that one of the processes holds", () => {
  const rows: readonly (readonly [what: string, expected: boolean, port: number, system: ListeningSystem])[] = [
    ["a listener of the second process", true, 3000, system(LISTENER, { 2: ["5", "777"] })],
    ["a listener of another process", false, 3000, system(LISTENER, { 3: ["777"] })],
    ["another port", false, 3001, system(LISTENER, { 2: ["777"] })],
    ["a connection from that port", false, 3000, system(CONNECTION, { 2: ["777"] })],
  ];
  // The first process has gone.
  assert.deepStrictEqual(
    rows.map(([what, , port, one]) => [what, listensAt(port, [9, 1, 2], one)]),
    rows.map(([what, expected]) => [what, expected]),
  );
  assert.ok(!listensAt(3000, [], system(LISTENER, {})));
});
