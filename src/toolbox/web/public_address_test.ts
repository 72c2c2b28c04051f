import assert from "node:assert/strict";
import { publicAddresses } from "./public_address.ts";

const isPublic = await publicAddresses();

Deno.test("K5 addresses of this machine, of private networks and of no use are not public, in either version", () => {
  const others = [
    "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1 172.31.255.255 192.168.0.1",
    "192.0.0.8 198.18.0.1 203.0.113.9 224.0.0.1 255.255.255.255 240.0.0.1",
    ":: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 2002:7f00:1::",
    "fc00::1 fd12::1 fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1 2001:db8::1 localhost 0x7f000001 2130706433",
  ].join(" ").split(" ");
  assert.deepEqual(others.filter(isPublic), []);
});

Deno.test("K5 public addresses are public", () => {
  const addresses = ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "192.0.1.1", "2606:4700::1111", "2a00:1450::1"];
  assert.deepEqual(addresses.filter((one) => !isPublic(one)), []);
});
