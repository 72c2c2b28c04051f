import fc from "fast-check";
import { strict as assert } from "node:assert";
import {
  addressesIn,
  findRule,
  isListedName,
  type NameList,
  narrowed,
  parseNameList,
  portsOf,
  PRESETS,
  printNameList,
} from "./name_list.ts";

function listOf(text: string): NameList {
  const parsed = parseNameList(text);
  assert.ok(parsed.ok, `${text}: ${parsed.ok ? "" : parsed.problem}`);
  return parsed.value;
}

function problemOf(text: string): string {
  const parsed = parseNameList(text);
  assert.ok(!parsed.ok, text);
  return parsed.problem;
}

Deno.test("S30 parseNameList() reads names, names below, ports, addresses and presets", () => {
  const printed = (text: string) => printNameList(listOf(text));
  assert.equal(printed("GitHub.com."), "github.com:80,443");
  assert.equal(printed("*.npmjs.org, db.lan:5432"), "*.npmjs.org:80,443,db.lan:5432");
  assert.equal(printed("a.example:80,8080/any,b.example"), "a.example:80,8080/any,b.example:80,443");
  assert.equal(printed("a.example:443,a.example:443/any"), "a.example:443/any");
  assert.equal(printed("bücher.example"), "xn--bcher-kva.example:80,443");
  assert.equal(
    printed("192.0.2.7:5432,[2001:db8:0::1]:443,2001:db8::2"),
    "192.0.2.7:5432,[2001:db8::1]:443,[2001:db8::2]:80,443",
  );
  assert.equal(printed("[::ffff:192.0.2.7]:22"), "192.0.2.7:22");
  assert.ok(isListedName(listOf("packages,git-hosts"), "registry.npmjs.org"));
  for (const name of PRESETS.keys()) assert.ok(listOf(name).length > 10);
});

Deno.test("S30 parseNameList() refuses what is not a host, and names it", () => {
  const wrong = {
    "": "an entry is empty",
    "a.example,,b.example": "an entry is empty",
    "https://a.example/x": 'write the host alone, "a.example"',
    "a.example/x": "is not the name of a host",
    "a\0.example": "is not the name of a host",
    "a b.example": "is not the name of a host",
    "a..example": "is not the name of a host",
    "*": "has a star that is not its first label",
    "a.*.example": "has a star that is not its first label",
    "*.com": "stands for every name of a domain",
    "pakages": 'did you mean "packages"?',
    "localhost": "is the loopback of commands",
    "x.localhost:80": "is the loopback of commands",
    "127.0.0.1:5432": "is the loopback of commands",
    "0x7f.1": 'is an address that is written "127.0.0.1"',
    "010.0.0.1": 'is an address that is written "8.0.0.1"',
    "3221225985:80": 'is an address that is written "192.0.2.1"',
    "198.18.0.1:80": "stands for a name in the network of commands",
    "198.19.255.255": "stands for a name in the network of commands",
    "*.192.0.2.1": "has a star before an address",
    "a\t.example": "is not the name of a host",
    "a\x1b[2J.example": '"a\\u001b[2J.example" is not the name of a host',
    "a\u202e.example": '"a\\u202e.example" is not the name of a host',
    "a@b.example": "is not the name of a host",
    "a.example\\b": "is not the name of a host",
    "%61.example": "is not the name of a host",
    "[::1]:80": "is the loopback of commands",
    "[::ffff:127.0.0.1]": "is the loopback of commands",
    "a.example:0": "is not a number from 1 to 65535",
    "a.example:65536": "is not a number from 1 to 65535",
    "a.example:": "is not a number from 1 to 65535",
    "a.example:443/tls": "is not a number from 1 to 65535",
    "a.example:53": "names port 53",
    "packages:443": "is a list with ports of its own",
    [`${"a".repeat(64)}.example`]: "is not the name of a host",
  };
  for (const [text, expected] of Object.entries(wrong)) {
    assert.ok(problemOf(text).includes(expected), `${text}: ${problemOf(text)}`);
  }
  assert.match(
    problemOf(Array.from({ length: 40 }, (_, at) => `a.example:${at + 100}`).join(",")),
    /32 different ports/,
  );
});

Deno.test("S30 a star stands for names below, never for the name itself or one that ends alike", () => {
  const list = listOf("*.example.org:443,exact.example:22/any,192.0.2.1:80");
  const found = (host: string, port: number) => findRule(list, host, port)?.name;
  assert.deepStrictEqual(
    ["a.example.org", "a.b.example.org", "example.org", "badexample.org", "a.example.org.evil"].map((host) =>
      found(host, 443)
    ),
    ["example.org", "example.org", undefined, undefined, undefined],
  );
  assert.deepStrictEqual([found("exact.example", 22), found("exact.example", 443), found("192.0.2.1", 80)], [
    "exact.example",
    undefined,
    "192.0.2.1",
  ]);
  assert.deepStrictEqual([isListedName(list, "192.0.2.1"), addressesIn(list), portsOf(list)], [false, ["192.0.2.1"], [
    22,
    80,
    443,
  ]]);
});

Deno.test("S30 narrowed() takes what the outer list has, and names what it has not", () => {
  const outer = listOf("*.example.org,host.example:22/any");
  for (const inner of ["a.example.org:443", "*.b.example.org", "*.example.org:80", "host.example:22"]) {
    assert.ok(narrowed(outer, listOf(inner)).ok, inner);
  }
  for (
    const inner of [
      "example.org",
      "a.example.org:8080",
      "host.example:22,443",
      "*.host.example:22",
      "a.example.org:443/any",
    ]
  ) {
    const result = narrowed(outer, listOf(inner));
    assert.ok(!result.ok && result.problem.includes("is not allowed"), inner);
  }
});

const label = fc.stringMatching(/^[a-z0-9]{1,8}$/).filter((one) => !/^\d+$/.test(one));
const host = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join("."))
  .filter((name) => !/(?:^|\.)(?:0x[0-9a-f]*|localhost)$/.test(name));
const port = fc.integer({ min: 54, max: 65_535 });
const entry = fc.tuple(fc.boolean(), host, fc.array(fc.tuple(port, fc.boolean()), { maxLength: 3 })).map(
  ([isBelow, name, ports]) => {
    const behind = ports.map(([one, isAny]) => `${one}${isAny ? "/any" : ""}`).join(",");
    return `${isBelow ? "*." : ""}${name}${behind === "" ? "" : `:${behind}`}`;
  },
);

Deno.test("S30 printNameList() gives a list that is the same, and every list narrows itself", () => {
  fc.assert(fc.property(fc.array(entry, { minLength: 1, maxLength: 6 }), (entries) => {
    const list = listOf(entries.join(","));
    assert.deepStrictEqual(listOf(printNameList(list)), list);
    assert.deepStrictEqual(narrowed(list, list), { ok: true, value: list });
  }));
});

Deno.test("S30 parseNameList() of any text gives a list or a problem, and never throws", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
    const parsed = parseNameList(text);
    if (parsed.ok) assert.ok(parsed.value.length > 0);
    else assert.ok(parsed.problem.length > 0);
  }));
});
