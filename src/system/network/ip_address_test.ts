import assert from "node:assert/strict";
import { ipAddressOf, ipNetworkOf, isInNetwork } from "./ip_address.ts";

Deno.test("S31 K5 an address is one number in every spelling, and what is not an address is none", () => {
  const ipv4 = ["127.0.0.1", "127.1", "0x7f000001", "017700000001", "2130706433"].map(ipAddressOf);
  assert.deepStrictEqual(ipv4, ipv4.map(() => ({ version: 4, value: 0x7f00_0001n })));
  const ipv6 = ["fe80::1", "[fe80::1]", "fe80::1%eth0", "FE80:0:0:0:0:0:0:1"].map(ipAddressOf);
  assert.deepStrictEqual(ipv6, ipv6.map(() => ({ version: 6, value: (0xfe80n << 112n) + 1n })));
  assert.deepStrictEqual(["", "a.example", "::g", "1.2.3.4/8", "1.2.3.4:1"].map(ipAddressOf), Array(5).fill(undefined));
});

Deno.test("S31 K5 a network has the addresses that begin with its bits, and none of the other version", () => {
  const isIn = (address: string, network: string) => {
    const found = ipAddressOf(address);
    return found !== undefined && isInNetwork(found, ipNetworkOf(network));
  };
  assert.ok(isIn("10.255.255.255", "10.0.0.0/8") && isIn("2001:2::ffff", "2001:2::/48") && isIn("::1", "::1/128"));
  assert.ok(!isIn("11.0.0.0", "10.0.0.0/8") && !isIn("2001:2:1::", "2001:2::/48") && !isIn("::a00:1", "10.0.0.0/8"));
  assert.throws(() => ipNetworkOf("a.example/8"), TypeError);
});
