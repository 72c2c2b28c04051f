import { strict as assert } from "node:assert";
import fc from "fast-check";
import { concatenate } from "../../base/bytes.ts";
import { encodeText } from "../../base/text.ts";
import { EventData } from "./event_data.ts";

/** The data of each event, from the whole text. */
function dataIn(bytes: Uint8Array): readonly string[] {
  // The decoder leaves out the mark.
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/);
  const events = [""];
  for (const line of lines.slice(0, -1)) {
    if (line === "") events.push("");
    else if (line.startsWith("data:")) events.push(events.pop() + line.slice(5));
  }
  return events;
}

const LINE = fc.oneof(
  fc.constantFrom("", "data:", "data", "data: {}", "data:[1,2]", "dat", "Data:x", " data:x", "id: 1", ":", "datax:y"),
  fc.string({ unit: fc.constantFrom("d", "a", "t", ":", "x", "ü", "\ufeff"), maxLength: 8 }),
);
const END = fc.constantFrom("\n", "\r", "\r\n");

Deno.test("O6 EventData finds the data of each event as the specification has it, wherever the parts end", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(LINE, END)),
      fc.constantFrom("", "\ufeff", "\ufeff\ufeff"),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
      (lines, mark, sizes) => {
        const bytes = encodeText(mark + lines.flat().join(""));
        const found: Uint8Array[][] = [[]];
        const data = new EventData();
        for (let [at, turn] = [0, 0]; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          for (const part of data.push(bytes.subarray(at, at + size))) {
            if (part.kind === "data") found.at(-1)?.push(part.bytes);
            else found.push([]);
          }
          at += size;
        }
        const texts = found.map((parts) => new TextDecoder().decode(concatenate(parts)));
        assert.deepStrictEqual(texts, dataIn(bytes));
      },
    ),
    { numRuns: 2_000 },
  );
});
