import { strict as assert } from "node:assert";
import { firstRootPath, pathOfUri } from "./roots.ts";

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
