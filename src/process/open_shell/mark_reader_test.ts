import assert from "node:assert/strict";
import fc from "fast-check";
import { concatenate } from "../../base/bytes.ts";
import { encodeText } from "../../base/text.ts";
import { type Mark, MarkReader } from "./mark_reader.ts";
import { LONGEST_FACTS, markHead } from "./shell_text.ts";

const SECRET = "a-secret";
const HEAD = encodeText(markHead(SECRET));

function bytesOf({ number, exitCode, directory }: Mark): Uint8Array {
  return concatenate([HEAD, encodeText(`${number} ${exitCode} ${directory}\0`)]);
}

/** What a reader makes of `bytes` cut at `cuts`: marks, and the output between them joined. */
function read(bytes: Uint8Array, cuts: readonly number[]): readonly (Mark | string)[] {
  const reader = new MarkReader(SECRET);
  const seen: (Mark | number[])[] = [[]];
  const take = (output: Uint8Array) => {
    const last = seen.at(-1);
    if (Array.isArray(last)) last.push(...output);
    else seen.push([...output]);
  };
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((one, other) => one - other), bytes.length];
  for (const [index, to] of places.entries()) {
    for (const part of reader.read(bytes.slice(places[index - 1] ?? 0, to))) {
      if ("mark" in part) seen.push(part.mark);
      else take(part.output);
    }
  }
  take(reader.rest());
  return seen.map((one) => Array.isArray(one) ? one.join(" ") : one).filter((one) => one !== "");
}

const NOISE = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.constantFrom(HEAD, HEAD.subarray(0, 5), encodeText("\x1e"), encodeText("\x1e\x1ea"), encodeText("\0")),
  fc.constantFrom("x y\0", "1\0", "1 2\0").map((facts) => concatenate([HEAD, encodeText(facts)])),
);
const MARK = fc.record({
  number: fc.nat(),
  exitCode: fc.nat(255),
  directory: fc.string({ unit: "grapheme" }).map((text) => `/${text.replaceAll("\0", "")}`),
}, { noNullPrototype: true });

Deno.test("B5 every mark is found and all other output is passed on, wherever the chunks are cut", () => {
  fc.assert(fc.property(fc.array(fc.tuple(NOISE, MARK)), fc.array(fc.nat()), (pieces, cuts) => {
    const bytes = concatenate(pieces.flatMap(([noise, mark]) => [noise, bytesOf(mark)]));
    const whole = read(bytes, []);
    assert.deepStrictEqual(read(bytes, cuts), whole);
    // Noise can end in what begins a mark, and so take the next mark's beginning for its own facts.
    const clean = pieces.filter(([noise]) => !noise.includes(0x1e));
    const expected = clean.flatMap(([noise, mark]) => noise.length === 0 ? [mark] : [noise.join(" "), mark]);
    assert.deepStrictEqual(read(concatenate(clean.flatMap(([noise, mark]) => [noise, bytesOf(mark)])), cuts), expected);
  }));
});

Deno.test("B5 what only looks like a mark is output as soon as that is known", () => {
  const reader = new MarkReader(SECRET);
  const endless = concatenate([HEAD, encodeText("1".repeat(LONGEST_FACTS + 1))]);
  const parts = reader.read(endless);
  const output = concatenate(parts.flatMap((part) => "output" in part ? [part.output] : []));
  assert.deepStrictEqual([output, reader.rest().length], [endless, 0]);
});
