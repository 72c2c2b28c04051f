import assert from "node:assert/strict";
import { judgeNetwork, NETWORK_RESULTS_BYTES } from "./network_attacks.ts";

const ANSWER_BYTES = 512;
const RESULTS = 2 * ANSWER_BYTES;
const RELAY = RESULTS + 4 * 8;
const HELD = { outside: true, passedOn: false, dialled: false };
const HEADER = [0x5a, 0x5a, 0x81, 0x80];

/** What the process writes where the list holds, then altered. */
function written(alter: (bytes: Uint8Array) => void = () => {}): Uint8Array {
  const bytes = new Uint8Array(NETWORK_RESULTS_BYTES);
  bytes.set([0x5a, 0x5a, 0x81, 0x83]);
  bytes.set([...HEADER, 0, 1, 0, 1, 0, 0, 0, 0, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 198, 18, 0, 1], ANSWER_BYTES);
  for (let at = RESULTS; at < bytes.length; at += 8) bytes.fill(255, at, at + 4);
  bytes.set([0, 0, 0, 0], RELAY);
  alter(bytes);
  return bytes;
}

function breached(bytes: Uint8Array): readonly string[] {
  return judgeNetwork(bytes, { listed: "named.example.test" }, HELD).flatMap(({ id, verdict }) =>
    verdict === "breached" ? [id] : []
  );
}

Deno.test("S32 each attack on a network by name that had an effect is found, and no other", () => {
  assert.deepStrictEqual(breached(written()), []);
  const word = (at: number, value: number) => written((bytes) => bytes.set([value, 0, 0, 0], RESULTS + at * 8));
  assert.deepStrictEqual(breached(word(0, 0)), ["network-address"]);
  assert.deepStrictEqual(breached(word(1, 0)), []);
  assert.deepStrictEqual(breached(word(1, 1)), ["network-nameless"]);
  assert.deepStrictEqual(breached(word(2, 0)), ["network-datagram"]);
  assert.deepStrictEqual(breached(word(3, 0)), ["network-loopback"]);
  assert.deepStrictEqual(breached(written((bytes) => bytes.set(HEADER))), ["network-name"]);
  assert.deepStrictEqual(breached(written((bytes) => bytes.fill(0, 0, ANSWER_BYTES))), ["network-name"]);
  const silent = written((bytes) => bytes.fill(0, ANSWER_BYTES, RESULTS));
  assert.deepStrictEqual(breached(silent), ["network-listed"]);
  assert.deepStrictEqual(breached(written((bytes) => bytes.fill(255, RELAY, RELAY + 4))), ["network-relay"]);
});

Deno.test("S32 a list of addresses alone has no name to look up, and an unreachable loopback proves nothing", () => {
  const silent = written((bytes) => bytes.fill(0, ANSWER_BYTES, RESULTS));
  const found = judgeNetwork(silent, { listed: undefined }, { ...HELD, outside: false });
  assert.deepStrictEqual(found.map(({ verdict }) => verdict), [...Array(8).fill("denied"), "impossible"]);
});
