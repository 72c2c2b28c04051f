import assert from "node:assert/strict";
import * as package_ from "diff";
import fc from "fast-check";
import { difference, spliced } from "./regions.ts";
import { unifiedDiff } from "./unified_diff.ts";

const encoding = "utf-8";
const LINES = fc.array(fc.constantFrom("a", "b", "c", "", "d\r"), { maxLength: 40 });

Deno.test("K3 a diff makes the new text of the old one, and counts its lines", () => {
  fc.assert(fc.property(LINES, LINES, fc.boolean(), (first, second, isEnded) => {
    const end = isEnded ? "\n" : "";
    const [old, next] = [first.join("\n") + end, second.join("\n") + end];
    const { text, added, removed } = unifiedDiff({ old, next, regions: difference(old, next), encoding }, package_);
    const patch = `--- a\n+++ b\n${text}\n`;
    assert.equal(package_.applyPatch(old, patch, { autoConvertLineEndings: false }), next);
    assert.equal(added - removed, lineCount(next) - lineCount(old));
  }));
});

Deno.test("K3 a diff of scattered changes has their hunks with true line numbers", () => {
  const old = Array.from({ length: 60 }, (_, at) => `line ${at + 1}\n`).join("");
  const splices = [3, 9, 40].map((line) => {
    const start = old.indexOf(`line ${line}\n`);
    return { start, end: start + `line ${line}`.length, text: `new\nline` };
  });
  const { units: next, regions } = spliced(old, splices);
  const { text, added, removed } = unifiedDiff({ old, next, regions, encoding }, package_);
  assert.deepEqual(text.match(/^@@.*$/gm), ["@@ -1,12 +1,14 @@", "@@ -37,7 +39,8 @@"]);
  assert.deepEqual([added, removed], [6, 3]);
});

Deno.test("K3 a diff of more than 8 KiB says how many of its lines are missing", () => {
  const old = `${"x".repeat(40)}\n`.repeat(400);
  const next = old.replaceAll("x", "y");
  const changed = (times: number) => {
    const [one, other] = [old.repeat(times), next.repeat(times)];
    return unifiedDiff({ old: one, next: other, regions: difference(one, other), encoding }, package_);
  };
  const { text, added, removed } = changed(1);
  assert.deepEqual([added, removed, text.length < 8300], [400, 400, true]);
  assert.equal(text.split("\n").at(-1), `… [${801 - (text.split("\n").length - 1)} more lines of the diff]`);
  assert.deepEqual(changed(500), {
    text: "@@ -1,200000 +1,200000 @@\n… [400000 more lines of the diff]",
    added: 200_000,
    removed: 200_000,
  });
});

function lineCount(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") || text === "" ? 1 : 0);
}
