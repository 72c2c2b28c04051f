import assert from "node:assert/strict";
import { SeatbeltEvaluator } from "./sbpl_evaluator.ts";

const HEAD = "(version 1)\n(deny default)\n";

function decides(rules: string, path: string, parameters: Record<string, string> = {}): boolean {
  return new SeatbeltEvaluator(`${HEAD}${rules}\n`, parameters).allows({ operation: "file-read-data", path });
}

Deno.test("SeatbeltEvaluator lets the last matching rule decide", () => {
  const rules = '(allow file-read*)\n(deny file-read* (subpath "/a"))\n(allow file-read-data (literal "/a/b"))';
  assert.deepStrictEqual(["/x", "/a", "/a/b", "/ab"].map((path) => decides(rules, path)), [true, false, true, true]);
  assert.ok(!decides("(allow file-write*)", "/x"));
});

Deno.test("SeatbeltEvaluator joins filters by or, and those of require-all by and", () => {
  const either = '(allow file-read* (literal "/a") (regex #"^/b[0-9]$"))';
  const both =
    '(allow file-read* (require-all (subpath "/a") (require-not (literal "/a/x")) (vnode-type REGULAR-FILE)))';
  assert.deepStrictEqual(["/a", "/b1", "/c"].map((path) => decides(either, path)), [true, true, false]);
  assert.deepStrictEqual(["/a", "/a/x"].map((path) => decides(both, path)), [true, false]);
});

Deno.test("SeatbeltEvaluator takes a parameter's value as it is", () => {
  const value = '/a"))(allow default)';
  assert.ok(decides('(allow file-read* (subpath (param "P")))', `${value}/b`, { P: value }));
  assert.ok(!decides('(allow file-read* (subpath (param "P")))', "/a", { P: value }));
});

Deno.test("SeatbeltEvaluator refuses words it does not know, and parameters that do not fit", () => {
  const wrong = [
    "(allow file-raed*)",
    '(allow file-read* (subpaht "/a"))',
    '(allow file-read* (require-any (vnode-type FILE) (literal "/")))',
    '(allow network-outbound (remote ip "10.0.0.1:*"))',
    "(allow signal (target others))",
    '(permit file-read* (literal "/"))',
    '(allow file-read* (subpath (param "MISSING")))',
    '(deny file-read* (require-all (literal "/none") (glob "*")))',
  ];
  for (const rule of wrong) assert.throws(() => decides(rule, "/a"), SyntaxError, rule);
  assert.throws(() => decides("(allow file-read*)", "/a", { UNUSED: "/a" }), /UNUSED/);
  assert.throws(() => new SeatbeltEvaluator("(version 1)\n(allow default)\n", {}), SyntaxError);
});
