import assert from "node:assert/strict";
import { failure, success } from "../../base/outcome.ts";
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";
import type { Answer } from "../../child_server/pending_calls.ts";
import { firstRootPath, pathOfUri, ScopeNegotiation } from "./scope_negotiation.ts";

const HOUR = 3_600_000;

interface Facts {
  readonly hasRoots?: boolean;
  readonly fallback?: readonly PinnedDirectory[];
  readonly timeoutMs?: number;
}

/** A handshake with a client whose answers are given by hand; what came of it is written down. */
function setUp({ hasRoots = true, fallback, timeoutMs = HOUR }: Facts = {}) {
  const told: unknown[] = [];
  const refused = Promise.withResolvers<string>();
  const asked: ((answer: Answer) => void)[] = [];
  const next = () => Promise.resolve().then(() => asked.shift() ?? assert.fail("nothing was asked"));
  const handshake = new ScopeNegotiation({
    hasRoots,
    fallback,
    timeoutMs,
    settle: (path) => path.startsWith("/no") ? failure(`No: ${path}`) : success({ path, device: 1n, inode: 2n }),
    ask: () => new Promise((resolve) => asked.push(resolve)),
    onLocked: (scopes) => told.push(scopes.map(({ path }) => path)),
    onRefused(problem) {
      told.push(problem);
      refused.resolve(problem);
    },
  });
  const answer = async (...paths: readonly string[]) => {
    (await next())({ result: { roots: paths.map((path) => ({ uri: `file://${path}` })) } });
    // The answer is used in a later turn.
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return { handshake, told, answer, refused: refused.promise };
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

const GIVEN: readonly PinnedDirectory[] = [{ path: "/given", device: 1n, inode: 1n }];

Deno.test("H3 a client without roots gets the given scope, or a problem that says what to do", async () => {
  const given = setUp({ hasRoots: false, fallback: GIVEN });
  given.handshake.initialized();
  assert.deepStrictEqual(given.told, [["/given"]]);
  const empty = setUp({ fallback: GIVEN });
  empty.handshake.initialized();
  await empty.answer();
  assert.deepStrictEqual(empty.told, [["/given"]]);
  const none = setUp();
  none.handshake.initialized();
  await none.answer();
  assert.match(await none.refused, /list of roots is empty/);
  const without = setUp({ hasRoots: false });
  without.handshake.initialized();
  assert.match(await without.refused, /declares no roots.*--sandbox-scope DIR/);
});

Deno.test("H3 ScopeNegotiation says what is missing when the time is over, and takes no answer after that", async () => {
  const silent = setUp({ timeoutMs: 1 });
  assert.match(await silent.refused, /not sent notifications\/initialized after 0\.001 s/);
  const asked = setUp({ timeoutMs: 1 });
  asked.handshake.initialized();
  assert.match(await asked.refused, /not answered roots\/list after 0\.001 s.*GET/);
  await asked.answer("/late");
  silent.handshake.initialized();
  assert.deepStrictEqual([asked.told.length, silent.told.length], [1, 1]);
});

Deno.test("S1 H3 a scope that is settled stays, whatever the client sends and however late it is", async () => {
  const { handshake, told, answer } = setUp();
  handshake.initialized();
  await answer("/a");
  handshake.initialized();
  const changed = handshake.rootsChanged();
  await answer("/b");
  assert.deepStrictEqual([await changed, told, handshake.problem], [true, [["/a"]], undefined]);
  handshake.close();
});

Deno.test("H3 ScopeNegotiation that is closed does nothing more", async () => {
  const { handshake, told, answer } = setUp();
  handshake.initialized();
  handshake.close();
  await answer("/a");
  assert.deepStrictEqual(told, []);
});

const GOOD: readonly (readonly [uri: string, path: string])[] = [
  ["file:///home/me/project", "/home/me/project"],
  ["file://localhost/home/me", "/home/me"],
  ["FILE:///home/me", "/home/me"],
  ["file:/home/me", "/home/me"],
  ["file:///home/me/with%20blank", "/home/me/with blank"],
  ["file:///home/me/with blank", "/home/me/with blank"],
  ["file:///home/me/%C3%BCber", "/home/me/über"],
  ["file:///home/me/100%25", "/home/me/100%"],
  ["file:///", "/"],
];
for (const [uri, path] of GOOD) {
  Deno.test(`H3 root ${uri}`, () => assert.deepStrictEqual(pathOfUri(uri), { ok: true, value: path }));
}

const BAD: readonly (readonly [uri: string, problem: RegExp])[] = [
  ["", /file: URI/],
  ["/home/me", /file: URI/],
  ["http://localhost/home/me", /file: URI/],
  ["file:home", /file: URI/],
  ["file://", /no path/],
  ["file://host/share", /another machine, "host"/],
  ["file://localhost.evil.com/x", /another machine/],
  ["file:///home/%00me", /NUL/],
  ["file:///home/%2e%2e/etc", /"\.\."/],
  ["file:///home/../etc", /"\.\."/],
  ["file:///home/me%2f..%2fother", /encoded slash/],
  ["file:///home/%zz", /percent-encoding/],
  ["file:///home/%ff", /percent-encoding/],
  ["file:///home/me?x=1", /query/],
  ["file:///home/me#x", /fragment/],
];
for (const [uri, problem] of BAD) {
  Deno.test(`H3 root ${JSON.stringify(uri)} is refused`, () => {
    const outcome = pathOfUri(uri);
    assert.ok(!outcome.ok);
    assert.match(outcome.problem, problem);
  });
}

Deno.test("H3 the first root counts", () => {
  const roots = [{ uri: "file:///a", name: "A" }, { uri: "http://elsewhere" }];
  assert.deepStrictEqual(firstRootPath({ roots }), { ok: true, value: "/a" });
  assert.deepStrictEqual(firstRootPath({ roots: [] }), { ok: true, value: undefined });
  const many = Array.from({ length: 1000 }, () => ({ uri: "file:///a" }));
  const wrong: unknown[] = [undefined, {}, { roots: "x" }, { roots: [null] }, { roots: [{ uri: 7 }] }, { roots: many }];
  assert.deepStrictEqual(wrong.map((result) => firstRootPath(result).ok), wrong.map(() => false));
});
