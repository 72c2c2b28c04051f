import assert from "node:assert/strict";
import fc from "fast-check";
import { changeFront, type FrontValue, newFront, readFront, splitText } from "./front_matter.ts";

function valuesOf(text: string) {
  const read = readFront(splitText(text).front);
  return read.ok ? { ...read.value } : read.problem;
}

function changed(text: string, change: Readonly<Record<string, FrontValue | undefined>>): string {
  const next = changeFront(text, change);
  return next.ok ? next.value : next.problem;
}

const HAND_MADE = `---
# by hand
id: 01J
title: 'Quoted: title'   # kept
odd:   {a: 1,
  b: [2]}
status: open # now
labels:
  - one
  - "two, three"
priority: 2
empty:
last: |
  a
  b
---
# Body
`;

Deno.test("K6 a change of one key changes one line, whatever stands around it", () => {
  const line = (text: string) => text.split("\n");
  const before = line(HAND_MADE);
  const differing = (after: string) => {
    const now = line(after);
    return now.length === before.length
      ? now.filter((one, index) => one !== before[index])
      : [`${now.length - before.length} lines`, ...now.filter((one) => !before.includes(one))];
  };
  assert.deepEqual(differing(changed(HAND_MADE, { priority: 0 })), ["priority: 0"]);
  assert.deepEqual(differing(changed(HAND_MADE, { status: "complete" })), ["status: complete # now"]);
  assert.deepEqual(differing(changed(HAND_MADE, { title: "a: b # c" })), ['title: "a: b # c"   # kept']);
  assert.deepEqual(differing(changed(HAND_MADE, { empty: "x" })), ["empty: x"]);
  assert.deepEqual(differing(changed(HAND_MADE, { labels: ["one", "2"] })), ['  - "2"']);
  assert.deepEqual(differing(changed(HAND_MADE, { assignee: "me" })), ["1 lines", "assignee: me"]);
  assert.deepEqual(differing(changed(HAND_MADE, { priority: undefined })), ["-1 lines"]);
  assert.equal(changed(HAND_MADE, { priority: 2, gone: undefined }), HAND_MADE);
  assert.equal(changed(HAND_MADE, { last: "x" }), HAND_MADE.replace("|\n  a\n  b", "x"));
  const crlf = HAND_MADE.replaceAll("\n", "\r\n");
  assert.equal(
    changed(crlf, { priority: 0, more: 1 }).replaceAll("\r\n", ""),
    changed(HAND_MADE, { priority: 0, more: 1 }).replaceAll("\n", ""),
  );
});

Deno.test("K6 a file without front matter gets one, and its text stays", () => {
  assert.deepEqual(splitText("---\nno end\n"), { open: "", front: "", close: "", body: "---\nno end\n" });
  assert.equal(
    changed("# A\n", { status: "open", labels: ["a", "b, c"] }),
    '---\nstatus: open\nlabels: [a, "b, c"]\n---\n# A\n',
  );
  assert.equal(changed("# A\n", { status: undefined }), "# A\n");
});

Deno.test("K6 front matter that is made to harm is refused in words, and aliases are not expanded", () => {
  assert.match(String(valuesOf(`---\n${"[".repeat(3_000)}\n---\n`)), /too deeply|not YAML/);
  assert.match(String(valuesOf(`---\na: ${"x".repeat(17_000)}\n---\n`)), /longer than/);
  assert.match(String(valuesOf("---\na: 1\na: 2\n---\n")), /not YAML: line 3: .*unique/);
  assert.match(String(valuesOf("---\n- a\n---\n")), /not a list of keys/);
  const bomb = `---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\ntitle: *a\nok: 1\n__proto__: 2\n---\n`;
  assert.deepEqual(
    valuesOf(bomb),
    JSON.parse('{"a":["x","x"],"b":[],"c":[],"ok":1,"__proto__":2}'),
  );
});

const ONE_LINE = fc.string({ unit: "grapheme", maxLength: 40 }).map((text) =>
  text.replaceAll(/[\r\n\u0085\u2028\u2029]/g, " ")
);
const VALUE = fc.oneof(ONE_LINE, fc.integer(), fc.boolean(), fc.array(ONE_LINE, { maxLength: 4 }));

Deno.test("K6 what is written into front matter is read again, and other keys keep their text", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("title", "status", "labels", "more"), VALUE), VALUE, (values, next) => {
      const text = `---\n${newFront(values)}---\nbody`;
      assert.deepEqual(valuesOf(text), { ...values });
      const after = changed(text, { labels: next, added: next });
      assert.deepEqual(valuesOf(after), { ...values, labels: next, added: next });
      assert.equal(splitText(after).body, "body");
      assert.equal(changed(after, { labels: next, added: undefined }), changed(text, { labels: next }));
    }),
  );
});
