import assert from "node:assert/strict";
import fc from "fast-check";
import { networkProblem, readNetwork, widensNetwork } from "./network_value.ts";

Deno.test("S6 S30 networkProblem() takes words and lists, and says what else could be written", () => {
  for (const value of ["full", "localhost", "none", "packages", "git-hosts,db.example.org:5432"]) {
    assert.strictEqual(networkProblem(value), undefined, value);
  }
  for (const value of ["", ",", "all", "full,github.com", "none,github.com", "localhost:80", "*"]) {
    assert.match(networkProblem(value) ?? "", /Write "full", "localhost", "none", or hosts such as/, value);
  }
  assert.deepStrictEqual(readNetwork("none"), { network: "none", names: [] });
  assert.strictEqual(readNetwork("github.com").network, "names");
});

Deno.test("S30 L7 widensNetwork() lets a project narrow what its user chose, never widen it", () => {
  const narrower = [
    ["full", "full"],
    ["packages", "full"],
    ["localhost", "full"],
    ["none", "packages"],
    ["localhost", "packages"],
    ["packages", "packages,git-hosts"],
    ["github.com:443", "git-hosts"],
    ["a.example.org", "*.example.org"],
    ["none", "localhost"],
  ];
  const wider = [
    ["full", "packages"],
    ["packages", "localhost"],
    ["packages", "none"],
    ["localhost", "none"],
    ["packages,git-hosts", "packages"],
    ["github.com:443/any", "git-hosts"],
    ["*.example.org", "a.example.org"],
    ["example.org", "*.example.org"],
    ["a.example.org:8080", "a.example.org"],
  ];
  const judged = (pairs: readonly (readonly string[])[]) =>
    pairs.map(([value = "", bound = ""]) => widensNetwork(value, bound));
  assert.deepStrictEqual(judged(narrower), narrower.map(() => false));
  assert.deepStrictEqual(judged(wider), wider.map(() => true));
});

Deno.test("S30 widensNetwork() is an order: what does not widen a value does not widen what the value is within", () => {
  const value = fc.constantFrom(
    ...["full", "localhost", "none", "packages", "packages,git-hosts", "github.com:443", "*.github.com", "github.com"],
  );
  fc.assert(fc.property(value, value, value, (one, two, three) => {
    if (!widensNetwork(one, two) && !widensNetwork(two, three)) assert.ok(!widensNetwork(one, three));
    assert.ok(!widensNetwork(one, one));
  }));
});
