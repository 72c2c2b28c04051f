import { strict as assert } from "node:assert";
import fc from "fast-check";
import { isAddress, isLoopbackHost, isPrivateHost, isPublicAddress } from "./public_address.ts";

/** First and last address of each special network. */
const SPECIAL = `
0.0.0.0 0.255.255.255
10.0.0.0 10.255.255.255
100.64.0.0 100.127.255.255
127.0.0.0 127.255.255.255
168.63.129.16
169.254.0.0 169.254.169.254 169.254.255.255
172.16.0.0 172.31.255.255
192.0.0.0 192.0.0.192 192.0.0.255
192.0.2.0 192.0.2.255
192.88.99.0 192.88.99.255
192.168.0.0 192.168.255.255
198.18.0.0 198.19.255.255
198.51.100.0 198.51.100.255
203.0.113.0 203.0.113.255
224.0.0.0 239.255.255.255
240.0.0.0 255.255.255.255
:: ::1 ::7f00:1 ::8.8.8.8 ::ffff:0:8.8.8.8
::ffff:0.0.0.0 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254
64:ff9b::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b:1:: 64:ff9b:1:ffff:ffff:ffff:ffff:ffff
100:: 100::ffff:ffff:ffff:ffff 1fff:ffff::
2001:: 2001:0:7f00:1:: 2001:2::1 2001:10::1 2001:20::1 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff
2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff
2002:: 2002:7f00:1:: 2002:808:808:: 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff
3fff:: 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff
4000:: 5f00::1 fc00:: fd00:ec2::254 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
fe80:: fe80::1 febf::1 fec0::1 feff::1 ff00:: ff02::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
`.trim().split(/\s+/);

/** Neighbours of those networks, and hosts of the internet. */
const PUBLIC = `
1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0
191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0
198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255
8.8.8.8 ::ffff:8.8.8.8 64:ff9b::8.8.8.8
2000:: 2001:200:: 2001:4860:4860::8888 2001:db7:ffff:: 2001:db9:: 2003:: 2606:4700::1111 2a00:1450::1
3ffe:ffff:: 3fff:1000::
`.trim().split(/\s+/);

Deno.test("O3 K5 addresses of this machine, of private networks and for special use are not public; all others are", () => {
  assert.deepStrictEqual(SPECIAL.filter(isPublicAddress), []);
  assert.deepStrictEqual(PUBLIC.filter((address) => !isPublicAddress(address)), []);
  assert.deepStrictEqual([...SPECIAL, ...PUBLIC].filter((address) => !isAddress(address)), []);
  assert.deepStrictEqual(SPECIAL.filter((address) => !isPrivateHost(address)), []);
  assert.deepStrictEqual(PUBLIC.filter(isPrivateHost), []);
});

Deno.test("O3 what is not an address is not a public one, and names of private networks are private", () => {
  const others = [
    "",
    "localhost",
    "example.com",
    "8.8.8.8:80",
    "8.8.8.8/",
    "x@8.8.8.8",
    "8.8.8.8#",
    "1.2.3.4.5",
    "::g",
  ];
  assert.deepStrictEqual(others.filter((text) => isPublicAddress(text) || isAddress(text)), []);
  const names =
    "localhost LOCALHOST. x.localhost nas.local nas.local. intranet metadata.google.internal metadata.goog " +
    "host.docker.internal router.home.arpa router.lan x.corp box.localdomain";
  assert.deepStrictEqual(names.split(" ").filter((name) => !isPrivateHost(name)), []);
  const others2 = ["mcp.example", "10.example.org", "local.example.com", "127.0.0.1.nip.io", "mylocalhost.example"];
  assert.deepStrictEqual(others2.filter(isPrivateHost), []);
  const here = [
    "localhost",
    "localhost.",
    "x.localhost",
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "::1",
    "[::1]",
    "0:0:0:0:0:0:0:1",
  ];
  assert.deepStrictEqual(here.filter((host) => !isLoopbackHost(host)), []);
  assert.deepStrictEqual(["0.0.0.0", "::", "10.0.0.1", "localhost.example", "128.0.0.1"].filter(isLoopbackHost), []);
});

const part = fc.integer({ min: 0, max: 255 });
/** All of IPv4, and its special networks as often. */
const ipv4 = fc.oneof(
  fc.tuple(part, part, part, part),
  fc.tuple(
    fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 224),
    fc.constantFrom(0, 18, 51, 64, 254),
    part,
    part,
  ),
);

Deno.test("O3 K5 every spelling of an IPv4 address decides alike", () => {
  const numeral = fc.constantFrom(10, 16, 8);
  fc.assert(fc.property(ipv4, numeral, numeral, fc.boolean(), ([a, b, c, d], one, other, isUpper) => {
    const written = (value: number, base: number) => {
      const digits = `${base === 16 ? "0x" : base === 8 ? "0" : ""}${value.toString(base)}`;
      return isUpper ? digits.toUpperCase() : digits;
    };
    const plain = [a, b, c, d].join(".");
    const hexadecimal = [a * 256 + b, c * 256 + d].map((value) => value.toString(16)).join(":");
    const spellings = [
      `${plain}.`,
      [a, b, c, d].map((value, at) => written(value, at % 2 === 0 ? one : other)).join("."),
      [written(a, one), written(b, other), written(c * 256 + d, one)].join("."),
      [written(a, other), written((b * 256 + c) * 256 + d, one)].join("."),
      written(((a * 256 + b) * 256 + c) * 256 + d, one),
      plain.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
      plain.replaceAll(".", "。"),
      ...["::ffff:", "0:0:0:0:0:FFFF:", "64:ff9b::", "0064:FF9B:0000:0000:0000:0000:"].flatMap((before) => [
        `${before}${plain}`,
        `[${before}${hexadecimal}]`,
      ]),
    ];
    const expected = isPublicAddress(plain);
    assert.deepStrictEqual(spellings.filter((text) => !isAddress(text) || isPublicAddress(text) !== expected), []);
    assert.deepStrictEqual(spellings.filter((text) => isPrivateHost(text) === expected), []);
  }));
});

/** Eight groups of IPv6: any, and with the beginnings and zeros of special ones. */
const group = fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constant(0));
const first = fc.oneof(
  fc.constantFrom(0x64, 0x100, 0x2001, 0x2002, 0x3fff, 0x5f00, 0xfc00, 0xfe80, 0xfec0, 0xff02),
  group,
);
const second = fc.oneof(fc.constantFrom(0xff9b, 0xdb8, 0x10, 0x20, 2), group);
const ipv6 = fc.tuple(first, second, group, group, group, group, group, group);

Deno.test("O3 K5 every spelling of an IPv6 address decides alike", () => {
  fc.assert(fc.property(ipv6, fc.integer({ min: 0, max: 7 }), fc.boolean(), (groups, from, isUpper) => {
    const hexadecimal = groups.map((value) => value.toString(16));
    const plain = hexadecimal.map((digits) => digits.padStart(4, "0")).join(":");
    const [, , , , , , seventh, eighth] = groups;
    const tail = [seventh >> 8, seventh & 255, eighth >> 8, eighth & 255].join(".");
    const end = groups.findIndex((value, at) => at >= from && value !== 0);
    const length = (end < 0 ? 8 : end) - from;
    const shortened = `${hexadecimal.slice(0, from).join(":")}::${hexadecimal.slice(from + length).join(":")}`;
    const spellings = [
      hexadecimal.join(":"),
      `[${plain}]`,
      `${plain}%eth0`,
      `${plain}%25eth0/64`,
      `${hexadecimal.slice(0, 6).join(":")}:${tail}`,
      ...length > 0 ? [shortened, `[${shortened}]`] : [],
    ].map((text) => isUpper ? text.toUpperCase() : text);
    const expected = isPublicAddress(plain);
    assert.deepStrictEqual(spellings.filter((text) => !isAddress(text) || isPublicAddress(text) !== expected), []);
    assert.deepStrictEqual(spellings.filter((text) => isPrivateHost(text) === expected), []);
  }));
});
