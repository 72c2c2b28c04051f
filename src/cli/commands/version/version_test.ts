import assert from "node:assert/strict";
import fc from "fast-check";
import { isNewer, isVersion, newestVersion } from "./version.ts";

const NUMBERS = fc.tuple(...[1, 2, 3].map(() => fc.nat({ max: 999_999_999 })));

Deno.test("L9 isNewer() orders versions by their numbers, and puts a marked one before its release", () => {
  fc.assert(fc.property(NUMBERS, NUMBERS, (one, other) => {
    const first = one.findIndex((number, place) => number !== other[place]);
    const expected = first !== -1 && (one[first] ?? 0) > (other[first] ?? 0);
    assert.deepStrictEqual(isNewer(one.join("."), other.join(".")), expected);
  }));
  const newer = [["1.0.0", "1.0.0-rc.1"], ["1.0.1-rc.1", "1.0.0"], ["1.10.0", "1.9.9"]] as const;
  for (const [one, other] of newer) {
    assert.deepStrictEqual([isNewer(one, other), isNewer(other, one)], [true, false], one);
  }
  assert.deepStrictEqual([isNewer("1.0.0-b", "1.0.0-a"), isNewer("1.0.0-a", "1.0.0-b")], [false, false]);
});

Deno.test("L9 isVersion() takes versions only, and no text that could draw or grow", () => {
  const good = ["0.1.0", "10.20.30", "1.0.0-rc.1"];
  const bad = [
    "",
    "1",
    "1.2",
    "1.2.3.4",
    "^1.2.3",
    "latest",
    "1.2.3\n",
    "1.2.3\x1b[2J",
    "1.2.3-",
    "9".repeat(99) + ".0.0",
  ];
  assert.deepStrictEqual(good.filter((text) => !isVersion(text)), []);
  assert.deepStrictEqual(bad.filter(isVersion), []);
});

Deno.test("L9 newestVersion() says why an answer names no version", async () => {
  const elsewhere = new URL("http://127.0.0.1:9/elsewhere");
  const answers: readonly (readonly [answer: () => Response, problem: RegExp])[] = [
    [() => new Response("no", { status: 404 }), /: it answered with status 404\. Nothing else depends on it$/],
    [() => new Response("<html>"), /: its answer is not JSON\. Nothing else depends on it$/],
    [() => new Response("x".repeat(2_000_000)), /: its answer has more than 1048576 bytes\. Nothing else/],
    [() => Response.redirect(elsewhere), /redirect/i],
    [() => Response.json({}), /: its answer names the version missing\. Nothing else/],
  ];
  for (const [answer, problem] of answers) {
    await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, answer);
    await assert.rejects(newestVersion(`http://127.0.0.1:${server.addr.port}/latest`), problem);
  }
});
