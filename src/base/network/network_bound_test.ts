import assert from "node:assert/strict";
import { printNameList } from "./name_list.ts";
import { closedRules, narrowedReach, type NetworkField, type NetworkReach, readBound } from "./network_bound.ts";

const FULL: NetworkReach = { network: "full", names: [] };

function bound(field: NetworkField): NetworkReach {
  const read = readBound(field);
  assert.ok(read.ok);
  return read.value;
}

function shown({ network, names }: NetworkReach): string {
  return network === "names" ? printNameList(names) : network;
}

Deno.test("S43 readBound() takes a word or a list, and never an empty one for all", () => {
  assert.deepStrictEqual(bound("none"), { network: "none", names: [] });
  assert.equal(shown(bound(["a.test", "b.test:80", "8080"])), "a.test:80,443,b.test:80,8080");
  assert.deepStrictEqual(readBound([]), { ok: false, problem: "it is empty" });
  assert.deepStrictEqual(readBound([""]), { ok: false, problem: "an entry is empty" });
  assert.ok(!readBound(["none"]).ok);
  assert.ok(!readBound(["full"]).ok);
});

Deno.test("S43 narrowedReach() gives what both allow, in either order", () => {
  const cases: readonly [NetworkReach, NetworkReach, string][] = [
    [FULL, bound("none"), "none"],
    [FULL, bound("localhost"), "localhost"],
    [FULL, bound(["a.test"]), "a.test:80,443"],
    [bound("none"), bound("localhost"), "none"],
    [bound("none"), bound(["a.test"]), "none"],
    [bound("localhost"), bound(["a.test"]), "localhost"],
    [bound(["a.test", "b.test:22"]), bound(["b.test:22", "c.test"]), "b.test:22"],
    [bound(["*.a.test"]), bound(["x.a.test:443", "a.test:443"]), "x.a.test:443"],
    [bound(["*.a.test:1"]), bound(["*.b.a.test:1"]), "*.b.a.test:1"],
    [bound(["a.test:1/any"]), bound(["a.test:1"]), "a.test:1"],
    [bound(["a.test:1/any"]), bound(["a.test:1/any"]), "a.test:1/any"],
    [bound(["192.0.2.7:1"]), bound(["*.a.test:1", "192.0.2.7:1"]), "192.0.2.7:1"],
    [bound(["a.test"]), bound(["b.test"]), ""],
  ];
  for (const [one, other, expected] of cases) {
    assert.equal(shown(narrowedReach(one, other)), expected);
    assert.equal(shown(narrowedReach(other, one)), expected);
  }
});

Deno.test("S43 narrowedReach() lets any protocol pass only where both lists do, whichever entry is met first", () => {
  const one = bound(["*.a.test:1", "x.a.test:1/any"]);
  const other = bound(["x.a.test:1/any", "*.a.test:1"]);
  assert.equal(shown(narrowedReach(one, other)), "x.a.test:1/any,*.a.test:1");
  assert.equal(shown(narrowedReach(bound(["*.a.test:1"]), bound(["x.a.test:1/any"]))), "x.a.test:1");
});

Deno.test("S43 closedRules() names what a list asks for in vain", () => {
  const asked = bound(["a.test:1", "*.b.test:1", "c.test:1/any"]);
  assert.equal(
    printNameList(closedRules(bound(["a.test:1", "x.b.test:1", "c.test:1"]), asked)),
    "*.b.test:1,c.test:1/any",
  );
  assert.deepStrictEqual(closedRules(FULL, asked), []);
  assert.equal(closedRules(bound("none"), asked).length, 3);
});
