import assert from "node:assert/strict";
import { failure, success } from "../../base/outcome.ts";
import type { Answer } from "../../child_server/pending_calls.ts";
import { ScopeNegotiation } from "./scope_negotiation.ts";

const HOUR = 3_600_000;

/** A handshake with a client whose answers are given by hand; what came of it is written down. */
function setUp(timeoutMs = HOUR) {
  const told: unknown[] = [];
  const asked: ((answer: Answer) => void)[] = [];
  const next = () => Promise.resolve().then(() => asked.shift() ?? assert.fail("nothing was asked"));
  const handshake = new ScopeNegotiation({
    facts: { hasRoots: true, fallback: undefined, timeoutMs },
    settle: (path) => path.startsWith("/no") ? failure(`No: ${path}`) : success({ path, device: 1n, inode: 2n }),
    ask: () => new Promise((resolve) => asked.push(resolve)),
    onLocked: (scopes) => told.push(scopes.map(({ path }) => path)),
    onRefused: (problem) => told.push(problem),
  });
  const answer = async (...paths: readonly string[]) => {
    (await next())({ result: { roots: paths.map((path) => ({ uri: `file://${path}` })) } });
    // The answer is used in a later turn.
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return { handshake, told, answer };
}

Deno.test("H3 H5 ScopeNegotiation settles the first root once, and reports when another root is the first", async () => {
  const { handshake, told, answer } = setUp();
  handshake.initialized();
  handshake.initialized();
  await answer("/a", "/b");
  assert.deepStrictEqual([told, handshake.problem], [[["/a"]], undefined]);
  const seen = [];
  for (const roots of [["/a"], ["/a", "/c"], ["/b", "/a"], ["/no"], []]) {
    const changed = handshake.rootsChanged();
    await answer(...roots);
    seen.push(await changed);
  }
  assert.deepStrictEqual(seen, [false, false, true, true, true]);
  assert.deepStrictEqual(told, [["/a"]]);
  handshake.close();
});

Deno.test("H3 ScopeNegotiation asks again when the roots change while it asks", async () => {
  const { handshake, told, answer } = setUp();
  handshake.initialized();
  assert.deepStrictEqual([await handshake.rootsChanged()], [false]);
  await answer("/old");
  assert.deepStrictEqual(told, []);
  await answer("/new");
  assert.deepStrictEqual(told, [["/new"]]);
  handshake.close();
});

Deno.test("H3 ScopeNegotiation refuses what cannot be a scope, and keeps the reason", async () => {
  const { handshake, told, answer } = setUp();
  handshake.initialized();
  await answer("/no/such");
  assert.match(String(told), /^No: \/no\/such\. /);
  assert.strictEqual(handshake.problem, told[0]);
  handshake.close();
});

Deno.test("H3 ScopeNegotiation that is closed does nothing more", async () => {
  const { handshake, told, answer } = setUp();
  handshake.initialized();
  handshake.close();
  await answer("/a");
  assert.deepStrictEqual(told, []);
});
