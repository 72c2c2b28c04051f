import assert from "node:assert/strict";
import { parsePatch } from "./patch_envelope.ts";

function patch(...lines: readonly string[]): string {
  return ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
}

Deno.test("K3 a patch is read: new, removed, moved and changed files", () => {
  const text = patch(
    "*** Add File: a.txt",
    "+one",
    "+",
    "*** Delete File: b.txt",
    "*** Update File: c.txt",
    "*** Move to: d.txt",
    "--- a/c.txt",
    "+++ b/c.txt",
    "@@ class A @@",
    "@@ method",
    " kept",
    "-old",
    "+new",
    "",
    "*** End of File",
    "@@ -10,2 +10,3 @@ heading",
    "+last",
  );
  assert.deepEqual(parsePatch(text), {
    ok: true,
    value: [
      { kind: "add", path: "a.txt", text: "one\n\n" },
      { kind: "delete", path: "b.txt" },
      {
        kind: "update",
        path: "c.txt",
        moveTo: "d.txt",
        hunks: [
          { anchors: ["class A", "method"], oldText: "kept\nold\n\n", newText: "kept\nnew\n\n", atEnd: true, line: 10 },
          { anchors: [], oldText: "", newText: "last\n", atEnd: false, line: 17 },
        ],
      },
    ],
  });
});

const BAD: readonly (readonly [text: string, problem: RegExp])[] = [
  ["--- a/x\n+++ b/x\n", /^line 1 is "--- a\/x", expected "\*\*\* Begin Patch"$/],
  ["*** Begin Patch\n*** Add File: x\n+a", /may have been cut off/],
  [patch(), /names no file/],
  [patch("*** Update File: x"), /"x" has no hunk/],
  [patch("*** Update File: x", "@@", " a"), /the hunk at line 3 changes nothing/],
  [patch("*** Update File: x", "what"), /^line 3 is "what", expected a line that begins with/],
  [patch("*** Add File: x", "a"), /^line 3 is "a", expected a line of the new file/],
  [patch("*** Delete File: x", "*** Delete File: x"), /"x" stands in it twice/],
];

for (const [text, problem] of BAD) {
  Deno.test(`K3 the patch ${JSON.stringify(text.slice(0, 60))} is refused with the line`, () => {
    const read = parsePatch(text);
    assert.match(read.ok ? "" : read.problem, problem);
  });
}
