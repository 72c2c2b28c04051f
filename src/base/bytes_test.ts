import assert from "node:assert/strict";
import { encodeText } from "./text.ts";
import { concatenate, nameBytes, nameText, startOf } from "./bytes.ts";

Deno.test("concatenate() copies the parts in order", () => {
  const first = new Uint8Array([1, 2]);
  const whole = concatenate([first, new Uint8Array(), new Uint8Array([3])]);
  first[0] = 9;
  assert.deepStrictEqual(whole, new Uint8Array([1, 2, 3]));
  assert.deepStrictEqual(concatenate([]), new Uint8Array());
});

Deno.test("startOf() gives the first bytes of a stream, says whether these are all, and reads no more", async () => {
  const parts = [[1, 2], [3], [4, 5]].map((part) => new Uint8Array(part));
  let read = 0;
  async function* stream() {
    for (const part of parts) {
      read++;
      yield await Promise.resolve(part);
    }
  }
  const startOfAll = async (most: number) => {
    read = 0;
    const { bytes, isWhole } = await startOf(stream(), most);
    return [[...bytes], isWhole, read];
  };
  assert.deepStrictEqual(await startOfAll(5), [[1, 2, 3, 4, 5], true, 3]);
  assert.deepStrictEqual(await startOfAll(4), [[1, 2, 3, 4], false, 3]);
  assert.deepStrictEqual(await startOfAll(2), [[1, 2], false, 2]);
  assert.deepStrictEqual(await startOfAll(0), [[], false, 1]);
  assert.deepStrictEqual(await startOf([], 0), { bytes: new Uint8Array(), isWhole: true });
});

Deno.test("S24 nameBytes() gives back the bytes of each name that nameText() was given", () => {
  const names = [[], [0x61], [0xff], [0x61, 0xff, 0x62], [0xc3], [0xed, 0xb3, 0xbf], [0xc3, 0xa9, 0xfe], [
    0xef,
    0xbf,
    0xbd,
  ]]
    .map((bytes) => Uint8Array.from(bytes)).concat(encodeText("é😀\ufffd"));
  for (const name of names) assert.deepStrictEqual(nameBytes(`/é/${nameText(name)}/x`), joined(name), String(name));
  assert.equal(new Set(names.map(nameText)).size, names.length);
  assert.equal(nameText(encodeText("é😀\ufffd")), "é😀\ufffd");
});

function joined(name: Uint8Array): Uint8Array {
  return Uint8Array.from([...encodeText("/é/"), ...name, ...encodeText("/x")]);
}
