import assert from "node:assert/strict";
import { KeptLookups } from "./kept_lookups.ts";

Deno.test("S31 the addresses of a host are kept for five seconds, failures and what is forgotten not at all", async () => {
  let now = 0;
  const asked: string[] = [];
  const lookups = new KeptLookups((host) => {
    asked.push(host);
    return host === "none" ? Promise.reject(new Error("none")) : Promise.resolve([{ address: "192.0.2.1", family: 4 }]);
  }, () => now);
  await Promise.all([lookups.of("a"), lookups.of("a")]);
  now = 4_999;
  await lookups.of("a");
  assert.deepStrictEqual(asked, ["a"]);
  now = 5_000;
  await lookups.of("a");
  lookups.forget("a");
  await lookups.of("a");
  assert.deepStrictEqual(asked, ["a", "a", "a"]);
  await assert.rejects(async () => await lookups.of("none"));
  await assert.rejects(async () => await lookups.of("none"));
  assert.deepStrictEqual(asked.slice(3), ["none", "none"]);
});

Deno.test("S31 the hosts that are kept are bounded, and the oldest is left out", async () => {
  let asked = 0;
  const lookups = new KeptLookups(() => Promise.resolve([{ address: `${++asked}`, family: 4 }]), () => 0);
  for (let host = 0; host < 257; host++) await lookups.of(`${host}`);
  assert.equal((await lookups.of("1"))[0]?.address, "2");
  assert.equal((await lookups.of("0"))[0]?.address, "258");
});
