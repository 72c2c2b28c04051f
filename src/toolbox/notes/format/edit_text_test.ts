import assert from "node:assert/strict";
import fc from "fast-check";
import { changeText, type NoteChange, overlap } from "./edit_text.ts";
import { newFront, readFront, splitText } from "./front_matter.ts";

function file(front: Readonly<Record<string, string>>, body: string): string {
  return `---\n${newFront(front)}---\n\n${body}\n`;
}

Deno.test("K6 a change fits another of other keys and parts, and both are there afterwards", () => {
  const front = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom("1x", "2x", "3x"));
  const words = fc.constantFrom("one", "two", "three");
  fc.assert(fc.property(front, front, front, words, words, fc.option(words), (was, hand, call, before, after, body) => {
    const [seen, now] = [file(was, before), file({ ...was, ...hand }, after)];
    const change: NoteChange = { front: call, body: body ?? undefined };
    const bothChange = Object.keys(call).some((key) => hand[key] !== undefined && hand[key] !== was[key]) ||
      body !== null && before !== after;
    assert.equal(overlap({ seen, now }, change).ok, !bothChange);
    const made = changeText(now, change);
    assert.ok(made.ok);
    const { front: text, body: kept } = splitText(made.value);
    const read = readFront(text);
    assert.deepEqual(read.ok ? { ...read.value } : read.problem, { ...was, ...hand, ...call });
    assert.equal(kept, `\n${body ?? after}\n`);
  }));
});

Deno.test("K6 added text stands apart from what was there", () => {
  const added = (text: string) => changeText(text, { front: {}, appended: "more" });
  assert.deepEqual(
    ["", "a", "a\n", "---\nb: 1\n---\na\n"].map(added),
    [
      "more\n",
      "a\n\nmore\n",
      "a\n\nmore\n",
      "---\nb: 1\n---\na\n\nmore\n",
    ].map((value) => ({ ok: true, value })),
  );
});
