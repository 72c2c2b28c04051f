import assert from "node:assert/strict";
import fc from "fast-check";
import { addressBytes, syntheticAddress, SyntheticAddresses } from "./synthetic_addresses.ts";

Deno.test("S30 a name keeps its address, and an address leads to its name only", () => {
  const table = new SyntheticAddresses();
  const names = Array.from({ length: 1000 }, (_, at) => `n${at}.example`);
  const addresses = names.map((name) => table.addressOf(name));
  assert.deepStrictEqual([...addressBytes(addresses[0] ?? 0, 4)], [198, 18, 0, 10]);
  assert.deepStrictEqual([...addressBytes(addresses[999] ?? 0, 4)], [198, 18, 3, 241]);
  assert.strictEqual(new Set(addresses).size, names.length);
  assert.deepStrictEqual(names.map((name) => table.addressOf(name)), addresses);
  assert.deepStrictEqual(addresses.map((address) => table.nameOf(address ?? 0)), names);
  const [first = 0] = addresses;
  assert.deepStrictEqual(
    [first - 1, first + 1000, 0, NaN, -1].map((address) => table.nameOf(address)),
    Array(5).fill(undefined),
  );
  assert.strictEqual(new SyntheticAddresses().nameOf(first), undefined);
});

Deno.test("S30 a full table gives no address of one name to another", () => {
  const table = new SyntheticAddresses(2);
  const [one, other] = [table.addressOf("a.example"), table.addressOf("b.example")];
  assert.deepStrictEqual([table.addressOf("c.example"), table.addressOf("a.example"), table.nameOf(other ?? 0)], [
    undefined,
    one,
    "b.example",
  ]);
});

Deno.test("S30 all names of a full table have addresses of the network", () => {
  const table = new SyntheticAddresses();
  const addresses = Array.from({ length: 8192 }, (_, at) => table.addressOf(`${at}.example`) ?? 0);
  assert.deepStrictEqual(addresses.filter((address) => syntheticAddress(addressBytes(address, 4)) !== address), []);
  assert.strictEqual(table.addressOf("x.example"), undefined);
});

Deno.test("S30 an address is read from the bytes of IPv4, of IPv6, and of IPv4 within IPv6", () => {
  fc.assert(fc.property(fc.integer({ min: 0xc612_0000, max: 0xc613_ffff }), (address) => {
    const [ipv4, ipv6] = [addressBytes(address, 4), addressBytes(address, 6)];
    const mapped = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, ...ipv4);
    assert.deepStrictEqual([ipv4, ipv6, mapped].map(syntheticAddress), [address, address, address]);
    assert.deepStrictEqual([...ipv6.subarray(0, 12)], [0x20, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
  }));
  const others = [
    [198, 17, 255, 255],
    [198, 20, 0, 0],
    [127, 0, 0, 1],
    [],
    [198, 18, 0],
    [0x20, 1, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 198, 18, 0, 10],
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 198, 18, 0, 10],
  ];
  assert.deepStrictEqual(others.map((bytes) => syntheticAddress(Uint8Array.from(bytes))), others.map(() => undefined));
});
