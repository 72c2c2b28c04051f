import assert from "node:assert/strict";
import fc from "fast-check";
import { ENCODINGS } from "../definition/files_writing.ts";
import { decodeFile, encodeChanged, encodeFile, shownUnits, textUnits } from "./file_text.ts";
import { spliced } from "./regions.ts";

Deno.test("K3 any bytes are the same after a file was taken apart and put together, in each encoding", () => {
  const marks = [[], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]];
  fc.assert(fc.property(
    fc.constantFrom(...marks),
    fc.uint8Array({ maxLength: 64 }),
    fc.constantFrom(undefined, ...ENCODINGS),
    (mark, rest, encoding) => {
      const bytes = new Uint8Array([...mark, ...rest]);
      const file = decodeFile(bytes, encoding);
      if (!file.ok) return assert.ok(encoding === undefined && bytes.includes(0));
      assert.deepEqual(encodeFile(file.value, file.value.units), bytes);
    },
  ));
});

Deno.test("K3 a changed file is the same, written as a whole or copied around what changed", () => {
  const marks = [[], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]];
  fc.assert(fc.property(
    fc.constantFrom(...marks),
    fc.uint8Array({ maxLength: 64, min: 1 }),
    fc.constantFrom(undefined, ...ENCODINGS),
    fc.tuple(fc.nat(30), fc.nat(30), fc.nat(30)),
    (mark, rest, encoding, [start, length, second]) => {
      const bytes = new Uint8Array([...mark, ...rest]);
      const file = decodeFile(bytes, encoding);
      assert.ok(file.ok);
      const { units } = file.value;
      const end = Math.min(units.length, start + length);
      const splices = start > end ? [] : [{ start, end, text: "new" }];
      if (end + second < units.length) splices.push({ start: end + second, end: end + second, text: "x" });
      const changed = spliced(units, splices);
      assert.deepEqual(encodeChanged(bytes, file.value, changed), encodeFile(file.value, changed.units));
    },
  ));
});

Deno.test("K3 a text is found in the units of a file of its encoding, and shown again", () => {
  const encoders = {
    "utf-8": (text: string) => new TextEncoder().encode(text),
    "utf-16le": (text: string) =>
      new Uint8Array(Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)).buffer),
  };
  fc.assert(fc.property(
    fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "\n", "\ufeff") }),
    fc.constantFrom("utf-8" as const, "utf-16le" as const),
    (text, encoding) => {
      const file = decodeFile(encoders[encoding](text), encoding);
      const units = textUnits(text, encoding);
      assert.ok(file.ok && units.ok);
      const marked = file.value.mark ? text.slice(1) : text;
      if (!file.value.mark) assert.equal(file.value.units, units.value);
      assert.equal(shownUnits(file.value.units, encoding), marked);
    },
  ));
});

Deno.test("K3 what no encoding tells is refused, and so is a character that the encoding has not", () => {
  assert.match(problemOf(decodeFile(new Uint8Array([65, 0]))), /it holds NUL bytes/);
  assert.equal(problemOf(textUnits("a→", "windows-1252")), '"→" is not a character of windows-1252');
  const units = textUnits("“é€”", "windows-1252");
  assert.equal(units.ok && shownUnits(units.value, "windows-1252"), "“é€”");
});

function problemOf(outcome: { ok: true } | { ok: false; problem: string }): string {
  return outcome.ok ? "" : outcome.problem;
}
