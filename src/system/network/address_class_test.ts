import assert from "node:assert/strict";
import fc from "fast-check";
import { addressClass, CLASS_IN_WORDS } from "./address_class.ts";
import { isPublicAddress } from "./public_address.ts";

const EXAMPLES: Readonly<Record<string, string>> = {
  public: "8.8.8.8 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2606:4700::1111 2a00::5efe:0 2a00::5eff:a00:1",
  metadata: "169.254.169.254 100.100.100.200 168.63.129.16 192.0.0.192 fd00:ec2::254 fd00:ec2::23 fd20:ce::254 " +
    "fd00:42::42 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 2852039166",
  loopback: "127.0.0.1 127.1 0x7f.1 0.0.0.0 0.1.2.3 ::1 :: ::ffff:127.0.0.1 ::ffff:0:0 64:ff9b::127.0.0.1",
  "link-local": "169.254.0.1 169.254.170.2 fe80::1 febf::1 fe80::1%eth0 ::ffff:169.254.1.1",
  private: "10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.127.255.255 fc00::1 fdff::1 ::ffff:10.0.0.1",
  multicast: "224.0.0.1 239.255.255.255 ff02::1",
  synthetic: "198.18.0.10 198.19.255.255 2001:2::c612:a ::ffff:198.18.0.10",
  special: "192.0.0.1 192.0.2.1 192.88.99.1 198.51.100.1 203.0.113.1 240.0.0.1 255.255.255.255 100::1 2001::1 " +
    "2001:2:1::1 2001:10::1 2001:db8::1 2002:7f00:1:: 3fff::1 fec0::1 4000::1 5f00::1 ::127.0.0.1 ::8.8.8.8 " +
    "64:ff9b:1::a00:1 ::ffff:0:10.0.0.1 2a00::5efe:7f00:1 2a00::200:5efe:a00:1",
};

Deno.test("S31 K5 each address has one class, in every spelling, and what holds an address of IPv4 has that one's", () => {
  const found = Object.entries(EXAMPLES).flatMap(([name, list]) => {
    return list.split(" ").filter((text) => addressClass(text) !== name).map((
      text,
    ) => [name, text, addressClass(text)]);
  });
  assert.deepStrictEqual(found, []);
  assert.deepStrictEqual(Object.keys(CLASS_IN_WORDS).sort(), Object.keys(EXAMPLES).sort());
  assert.deepStrictEqual(["", "github.com", "10.0.0.1:80", "1.2.3.4.5"].map(addressClass), Array(4).fill(undefined));
});

Deno.test("S31 K5 an address is public or has another class, never both", () => {
  fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
    assert.strictEqual(addressClass(text) === "public", isPublicAddress(text));
    if (!text.includes(":")) assert.strictEqual(addressClass(`::ffff:${text}`), addressClass(text));
  }));
});
