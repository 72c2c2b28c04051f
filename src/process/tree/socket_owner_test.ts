import { strict as assert } from "node:assert";
import { Libc } from "../../system/libc.ts";
import {
  holderOf,
  isHeldBelow,
  lookedAtOnce,
  type SocketHolder,
  type SocketSystem,
  systemSockets,
} from "./socket_owner.ts";

const HEADER = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
/** Port 0xBC1E (48158) at the client, 0x0BB8 (3000) at the server. */
const CLIENT_ROW =
  "   5: 0100007F:BC1E 0100007F:0BB8 01 00000000:00000000 00:00000000 00000000  1000        0 777 1 0 20 4 30 10 -1\n";
const SERVER_ROW =
  "   6: 0100007F:0BB8 0100007F:BC1E 01 00000000:00000000 00:00000000 00000000  1000        0 888 1 0 20 4 30 10 -1\n";
const CONNECTION = { peerPort: 48158, ownPort: 3000 };
const SERVER = { server: 10, uid: 1000 };

/** The same port at another local address. */
const HIDING_ROW =
  "   7: 0200007F:BC1E 0100007F:0BB8 01 00000000:00000000 00:00000000 00000000  1000        0 999 1 0 20 4 30 10 -1\n";

function system(holders: Readonly<Record<number, readonly string[]>>, rows = CLIENT_ROW): SocketSystem {
  const parents: Readonly<Record<number, number>> = { 10: 1, 11: 10, 12: 11, 20: 1, 21: 20, 31: 30 };
  return {
    tables: () => [HEADER + SERVER_ROW + rows, HEADER],
    processes: () => [1, 10, 11, 12, 20, 21, 31],
    socketsOf: (pid) => holders[pid] ?? [],
    parentOf: (pid) => parents[pid],
  };
}

Deno.test("S6 H8 a connection is of others when all its holders are known and none is below the server", () => {
  const rows: readonly (readonly [what: string, expected: SocketHolder, system: SocketSystem])[] = [
    ["a process elsewhere", "others", system({ 21: ["5", "777"] })],
    ["a command of ours", "ours", system({ 12: ["777"] })],
    ["the server itself", "ours", system({ 10: ["777"] })],
    ["a process elsewhere and a command of ours", "ours", system({ 12: ["777"], 21: ["777"] })],
    ["a process whose parent is just gone", "ours", system({ 31: ["777"] })],
    ["no process, as when it is on its way between processes", "unknown", system({ 12: ["5"] })],
    ["only the server's own end", "unknown", system({ 21: ["888"] })],
    ["no such connection", "unknown", system({ 21: ["777"] }, "")],
    ["a process elsewhere, and on the same port none", "unknown", system({ 21: ["777"] }, CLIENT_ROW + HIDING_ROW)],
    ["a process elsewhere, twice", "others", system({ 20: ["999"], 21: ["777"] }, CLIENT_ROW + HIDING_ROW)],
    [
      "a socket that was closed",
      "unknown",
      system({ 21: ["0"] }, CLIENT_ROW.replace("  1000        0 777 ", "  0 0 0 ")),
    ],
    ["another user", "others", system({}, CLIENT_ROW.replace("  1000  ", "  1001  "))],
  ];
  assert.deepStrictEqual(
    rows.map(([what, , one]) => [what, holderOf(CONNECTION, SERVER, one)]),
    rows.map(([what, expected]) => [what, expected]),
  );
});

Deno.test("S6 H8 a command is known as ours also where the server is the first process of a container", () => {
  const parents: Readonly<Record<number, number>> = { 11: 1, 12: 11, 20: 0, 21: 20 };
  const holders = (pid: number): SocketSystem => ({
    ...system({ [pid]: ["777"] }),
    processes: () => [1, 11, 12, 20, 21],
    parentOf: (one) => parents[one],
  });
  const first = { server: 1, uid: 1000 };
  assert.deepStrictEqual([1, 11, 12, 20, 21].map((pid) => holderOf(CONNECTION, first, holders(pid))), [
    "ours",
    "ours",
    "ours",
    "others",
    "others",
  ]);
});

Deno.test("S6 lookedAtOnce() looks into each process once, however many sockets are asked for", () => {
  const held: Readonly<Record<number, readonly string[]>> = { 12: ["777"], 21: ["5"] };
  const looked: number[] = [];
  const socketsOf = (pid: number) => {
    looked.push(pid);
    return held[pid] ?? [];
  };
  const counted = { ...system({}), socketsOf };
  const areBelow = (one: SocketSystem) => ["5", "777", "6"].map((inode) => isHeldBelow(inode, SERVER.server, one));
  assert.deepStrictEqual(areBelow(lookedAtOnce(counted)), [false, true, false]);
  assert.deepStrictEqual(looked.splice(0), [1, 10, 11, 12, 20, 21, 31]);
  // All of them for a socket of others, up to the holder for our own, all of them for one that no process holds.
  assert.deepStrictEqual([areBelow(counted), looked.length], [[false, true, false], 7 + 4 + 7]);
});

Deno.test("S6 systemSockets() finds the holder of a real connection", async () => {
  const libc = new Libc();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const [client, accepted] = await Promise.all([
    Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port }),
    listener.accept(),
  ]);
  try {
    const connection = { peerPort: (client.localAddr as Deno.NetAddr).port, ownPort: listener.addr.port };
    const uid = Deno.uid() ?? 0;
    const real = systemSockets(libc);
    assert.deepStrictEqual([
      holderOf(connection, { server: Deno.pid, uid }, real),
      // No process is below one that does not exist, so this one counts among the others then.
      holderOf(connection, { server: 2 ** 30, uid }, real),
    ], ["ours", "others"]);
  } finally {
    for (const one of [client, accepted, listener]) one.close();
    libc[Symbol.dispose]();
  }
});
