import assert from "node:assert/strict";
import { applyHunks } from "./apply_hunks.ts";
import { decodeFile, encodeFile } from "./file_text.ts";
import { parsePatch } from "./patch_envelope.ts";

/** The text after the hunks, or the problem. */
function applied(text: string, ...hunks: readonly string[]): string {
  const read = parsePatch(["*** Begin Patch", "*** Update File: x", ...hunks, "*** End Patch"].join("\n"));
  const file = decodeFile(new TextEncoder().encode(text));
  const [first] = read.ok ? read.value : [];
  if (!read.ok || !file.ok || first?.kind !== "update") return assert.fail(JSON.stringify(read));
  const result = applyHunks(file.value, first.hunks);
  return result.ok ? new TextDecoder().decode(encodeFile(file.value, result.value.units)) : `! ${result.problem}`;
}

Deno.test("K3 hunks are found by whole lines, in order, after their anchors", () => {
  assert.equal(applied("ab\nb\nc\n", "-b", "+x"), "ab\nx\nc\n");
  assert.equal(applied("f\n  a\ng\n  a\n", "@@ g", "-  a", "+  b"), "f\n  a\ng\n  b\n");
  assert.match(
    applied("a\nb\na\n", "-a", "+x"),
    /^! the hunk at line 3 of the patch: its lines stand at lines 1, 3; an @@/,
  );
  assert.equal(
    applied("a\nb\na", "-a", "+x", "*** End of File"),
    "! the hunk at line 3 of the patch: its lines do not end the file",
  );
  assert.equal(applied("a\nb\nc", " b", "-c", "+d"), "a\nb\nd");
  assert.equal(applied("a\r\nb\r\n", "-b", "+c", "+d", "@@", "+e"), "a\r\nc\r\nd\r\ne\r\n");
  assert.equal(applied("a\n", "@@ a", "+b"), "a\nb\n");
  assert.equal(applied("    a\n    b\n", " a", "-b", "+c"), "    a\n    c\n");
  assert.match(
    applied("a\nb\n", "-b", "+c", "@@", "-a", "+x"),
    /line 5 of the patch: its lines are not there, or stand before/,
  );
  assert.match(applied("a\n", "@@ nothing", "+x"), /no line after line 1 is "nothing"/);
});
