import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import { promisify } from "node:util";
import fc from "fast-check";
import { optRecord, queryBytes, type QueryParts } from "./_support/queries.ts";
import { answerQuery, type ResolvedNames } from "./answer_query.ts";
import { SyntheticAddresses } from "./synthetic_addresses.ts";

const LISTED: readonly string[] = ["github.com", "registry.npmjs.org"];

function names(over: Partial<ResolvedNames> = {}): ResolvedNames {
  return {
    isListed: (name) => LISTED.includes(name),
    isNamed: () => false,
    addresses: new SyntheticAddresses(),
    hasIpv6: true,
    ...over,
  };
}

/** Flags, numbers of records, and the end of an answer. */
function reply(parts: QueryParts, over: Partial<ResolvedNames> = {}) {
  const answered = answerQuery(queryBytes(parts), names(over));
  assert.ok(answered !== undefined);
  const view = new DataView(answered.message.buffer);
  const [id, flags, ...counts] = [0, 2, 4, 6, 8, 10].map((at) => view.getUint16(at));
  assert.deepStrictEqual([id, (flags ?? 0) & 0xfff0], [0x1234, 0x8180]);
  return { code: (flags ?? 0) & 15, counts, message: answered.message, refused: answered.refused };
}

Deno.test("S30 a listed name has an address of ours for A and AAAA, and nothing else", () => {
  const ipv4 = reply({});
  assert.deepStrictEqual([ipv4.code, ipv4.counts, ipv4.refused], [0, [1, 1, 0, 0], undefined]);
  assert.deepStrictEqual([...ipv4.message.subarray(-16)], [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 198, 18, 0, 10]);
  const ipv6 = reply({ type: 28 });
  assert.deepStrictEqual([...ipv6.message.subarray(-18)], [
    0,
    16,
    0x20,
    1,
    0,
    2,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    198,
    18,
    0,
    10,
  ]);
  assert.deepStrictEqual(reply({ type: 28 }, { hasIpv6: false }).counts, [1, 0, 0, 0]);
  const others = [2, 5, 6, 12, 15, 16, 33, 64, 65, 255].map((type) => reply({ type }));
  assert.deepStrictEqual(others.map(({ code, counts }) => [code, counts]), others.map(() => [0, [1, 0, 0, 0]]));
});

Deno.test("S30 a name that is not listed does not exist, whatever is asked of it, and is told", () => {
  for (const name of ["evil.example", "sub.github.com", "com", "github.com.evil.example", "GITHUB.COM.x"]) {
    for (const type of [1, 28, 16, 65]) {
      const refused = reply({ name, type });
      assert.deepStrictEqual([refused.code, refused.counts, refused.refused], [3, [1, 0, 0, 0], name]);
    }
  }
  const quiet = [reply({ name: "10.0.18.198.in-addr.arpa", type: 12 }), reply({ name: "1.ip6.arpa", type: 12 })];
  assert.deepStrictEqual(quiet.map(({ code, refused }) => [code, refused]), [[3, undefined], [3, undefined]]);
  assert.deepStrictEqual([reply({ name: "" }).code, reply({ dnsClass: 3 }).code], [5, 5]);
});

Deno.test("S31 a listed name can be checked first where a client wants its address, and a name that a command chose never", () => {
  const over = { isNamed: (name: string) => name === "github.com" };
  const unchecked = (parts: QueryParts) => answerQuery(queryBytes(parts), names(over))?.unchecked;
  for (const type of [1, 28]) {
    const found = unchecked({ name: "GitHub.com", type });
    assert.deepStrictEqual([found?.name, (found?.denial[3] ?? 0) & 15, found?.denial[7]], ["github.com", 3, 0]);
  }
  const others = [{ type: 16 }, { flags: 0 }, { name: "registry.npmjs.org" }, { name: "x.test" }, {
    name: "localhost",
  }];
  assert.deepStrictEqual(others.map(unchecked), others.map(() => undefined));
});

Deno.test("S30 nothing of a name outside the list is kept", () => {
  const asked: string[] = [];
  const addresses = { addressOf: (name: string) => (asked.push(name), undefined) };
  reply({ name: "secret.evil.example" }, { addresses });
  reply({ type: 16 }, { addresses });
  assert.deepStrictEqual([reply({}, { addresses }).code, asked], [2, ["github.com"]]);
});

Deno.test("S30 localhost is this machine", () => {
  assert.deepStrictEqual([...reply({ name: "LocalHost" }).message.subarray(-4)], [127, 0, 0, 1]);
  const ipv6 = reply({ name: "x.localhost", type: 28 });
  assert.deepStrictEqual([...ipv6.message.subarray(-16)], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  assert.strictEqual(reply({ name: "localhost.evil.example" }).code, 3);
});

Deno.test("S30 an answer repeats the question byte for byte, and OPT only where it was sent", () => {
  const mixed = reply({ name: "gItHuB.CoM", rest: optRecord({ flags: 0x8000 }) });
  assert.deepStrictEqual([...mixed.message.subarray(12, 28)], [...queryBytes({ name: "gItHuB.CoM" }).subarray(12)]);
  assert.deepStrictEqual([mixed.code, mixed.counts], [0, [1, 1, 0, 1]]);
  assert.deepStrictEqual([...mixed.message.subarray(-11)], [0, 0, 41, 4, 208, 0, 0, 0x80, 0, 0, 0]);
  const version = reply({ rest: optRecord({ version: 1 }) });
  assert.deepStrictEqual([version.code, ...version.message.subarray(-6, -4)], [0, 1, 0]);
  const faulty = reply({ counts: [2, 0, 0, 0] });
  assert.deepStrictEqual([faulty.code, faulty.message.length], [1, 12]);
});

Deno.test("S30 no message makes the resolver throw, or give an answer that is too long or another query's", () => {
  const changed = fc.tuple(fc.nat(), fc.nat(255)).map(([at, byte]) => {
    const message = queryBytes({ name: `${"a".repeat(60)}.${"b".repeat(60)}.github.com`, rest: optRecord() });
    message[at % message.length] = byte;
    return message;
  });
  const all = names({ isListed: () => true });
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 600 }), changed), (message) => {
      const answered = answerQuery(message, all)?.message;
      if (answered === undefined) return;
      assert.ok(answered.length <= 310 && (answered[2] ?? 0) >= 0x80);
      assert.deepStrictEqual([...answered.subarray(0, 2)], [...message.subarray(0, 2)]);
    }),
    { numRuns: 5000 },
  );
});

Deno.test("S30 the resolvers of Deno and Node take the answers", async () => {
  const socket = createSocket("udp4");
  const served = names();
  socket.on("message", (message, from) => {
    const answered = answerQuery(message, served);
    if (answered !== undefined) socket.send(answered.message, from.port, from.address);
  });
  await new Promise<void>((listening) => socket.bind(0, "127.0.0.1", listening));
  const { port } = socket.address();
  const nameServer = { ipAddr: "127.0.0.1", port };
  assert.deepStrictEqual(await Deno.resolveDns("github.com", "A", { nameServer }), ["198.18.0.10"]);
  assert.deepStrictEqual(await Deno.resolveDns("github.com", "AAAA", { nameServer }), ["2001:2::c612:a"]);
  await assert.rejects(Deno.resolveDns("evil.example", "A", { nameServer }), Deno.errors.NotFound);
  const script = `const resolver = new (require("dns").promises.Resolver)();
resolver.setServers(["127.0.0.1:${port}"]);
const asked = [resolver.resolve4("github.com"), resolver.resolve6("registry.npmjs.org"), resolver.resolve4("evil.example"),
  resolver.resolveTxt("github.com")];
Promise.allSettled(asked).then((all) => console.log(JSON.stringify(all.map(({ value, reason }) => value ?? reason.code))));`;
  const { stdout } = await promisify(execFile)("node", ["-e", script]);
  assert.deepStrictEqual(JSON.parse(stdout), [["198.18.0.10"], ["2001:2::c612:b"], "ENOTFOUND", "ENODATA"]);
  await new Promise<void>((closed) => socket.close(closed));
});
