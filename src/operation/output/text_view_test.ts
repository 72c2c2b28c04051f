import { strict as assert } from "node:assert";
import fc from "fast-check";
import { OperationOutput } from "./output.ts";
import { type Gap, lastLines, viewOutput } from "./text_view.ts";

const PLAIN = { keepAnsi: false, headShare: 0.4 };

function outputOf(text: string, window?: { headBytes: number; tailBytes: number }): OperationOutput {
  const output = new OperationOutput(window);
  output.write(new TextEncoder().encode(text));
  return output;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** What `seq` prints. */
function sequence(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join("");
}

Deno.test("X4 viewOutput() shows a short output whole", () => {
  const limits = { bytes: 100, lines: 10 };
  assert.deepStrictEqual(viewOutput(outputOf("a\nb"), limits, PLAIN), {
    text: "a\nb",
    omittedBytes: 0,
    omittedLines: 0,
  });
  assert.deepStrictEqual(viewOutput(outputOf(""), limits, PLAIN), { text: "", omittedBytes: 0, omittedLines: 0 });
});

Deno.test("X4 viewOutput() shows whole lines of both ends and the exact count of the rest", () => {
  const view = viewOutput(outputOf(sequence(1, 1000)), { bytes: 10_000, lines: 6 }, PLAIN);
  assert.deepStrictEqual(view, {
    text: `1\n2\n... 995 lines (${byteLength(sequence(3, 997))} bytes) left out ...\n998\n999\n1000\n`,
    omittedBytes: byteLength(sequence(3, 997)),
    omittedLines: 995,
  });
});

Deno.test("X4 X8 viewOutput() counts exactly what the window dropped too", () => {
  const all = sequence(1, 100_000);
  const view = viewOutput(outputOf(all, { headBytes: 1000, tailBytes: 1000 }), { bytes: 10_000, lines: 6 }, PLAIN);
  const left = byteLength(all) - byteLength("1\n2\n99998\n99999\n100000\n");
  assert.deepStrictEqual(view, {
    text: `1\n2\n... 99995 lines (${left} bytes) left out ...\n99998\n99999\n100000\n`,
    omittedBytes: left,
    omittedLines: 99_995,
  });
});

Deno.test("X4 viewOutput() cuts a single long line at a character's border", () => {
  const view = viewOutput(outputOf("ü".repeat(5000)), { bytes: 200, lines: 10 }, PLAIN);
  assert.match(view.text, /^ü+\n\.\.\. \d+ bytes left out of line 1 \.\.\.\nü+$/);
  assert.ok(byteLength(view.text) <= 202);
});

Deno.test("X8 viewOutput() cleans before it cuts: a progress bar is one line", () => {
  const bar = Array.from({ length: 2000 }, (_, index) => `\x1b[32m${index} %\x1b[0m\r`).join("");
  const view = viewOutput(outputOf(`start\n${bar}\nend\n`), { bytes: 300, lines: 10 }, PLAIN);
  assert.deepStrictEqual(view, { text: "start\n1999 %\nend\n", omittedBytes: 0, omittedLines: 0 });
});

Deno.test("X4 viewOutput() stays within its limits and accounts for every byte and line", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "ü", "€", "😀", " "), maxLength: 60 });
  const note = /\.\.\. (?:\d+ lines? \(\d+ bytes?\) left out|\d+ bytes? left out of lines? [\d to]+) \.\.\.\n/;
  const limitsOf = fc.record({ bytes: fc.integer({ min: 150, max: 2000 }), lines: fc.integer({ min: 4, max: 60 }) });
  fc.assert(fc.property(fc.array(line, { minLength: 1, maxLength: 120 }), limitsOf, (lines, limits) => {
    const text = lines.map((one) => `${one}\n`).join("");
    const view = viewOutput(outputOf(text), limits, PLAIN);
    assert.ok(byteLength(view.text) <= limits.bytes);
    assert.ok(view.text.split("\n").length - 1 <= limits.lines);
    if (view.omittedBytes === 0) return assert.strictEqual(view.text, text);
    const [before, after] = view.text.split(note);
    assert.ok(text.endsWith(after ?? "?"));
    // A line that is cut is ended where the note begins.
    const shown = [before ?? "?", (before ?? "?").slice(0, -1)].filter((start) => text.startsWith(start));
    const counted = shown.map((start) => byteLength(start) + byteLength(after ?? "") + view.omittedBytes);
    assert.ok(counted.includes(byteLength(text)));
  }));
});

Deno.test("X4 viewOutput() tells where what it leaves out begins and ends: whole lines by number, a cut line by its place", () => {
  const gapIn = (
    text: string,
    limits: { bytes: number; lines: number },
    window?: { headBytes: number; tailBytes: number },
  ) => {
    const gaps: Gap[] = [];
    const advise = (gap: Gap) => {
      gaps.push(gap);
      return "";
    };
    viewOutput(outputOf(text, window), limits, { ...PLAIN, advise });
    return gaps.at(-1);
  };
  const whole = { bytes: 3876, lines: 995, first: 3, last: 997, insideLine: false, offset: 4 };
  assert.deepStrictEqual(gapIn(sequence(1, 1000), { bytes: 10_000, lines: 6 }), whole);
  assert.deepStrictEqual(
    gapIn(sequence(1, 1000), { bytes: 10_000, lines: 6 }, { headBytes: 100, tailBytes: 100 }),
    whole,
  );
  const long = `short\n${"x".repeat(1000)}\nend\n`;
  assert.deepStrictEqual(gapIn(long, { bytes: 296, lines: 10 }), {
    bytes: 1001,
    lines: 1,
    first: 2,
    last: 2,
    insideLine: false,
    offset: 6,
  });
  assert.deepStrictEqual(gapIn("x".repeat(1000), { bytes: 296, lines: 10 }), {
    bytes: 800,
    lines: 0,
    first: 1,
    last: 1,
    insideLine: true,
    offset: 80,
  });
  // What was cleaned away before the cut counts nothing: reading begins at the line.
  assert.deepStrictEqual(gapIn(`\x1b[1m${"x".repeat(1000)}`, { bytes: 296, lines: 10 })?.offset, 0);
});

Deno.test("X4 viewOutput() tells the same for a window that dropped as for one that did not", () => {
  const text = sequence(1, 60_000);
  const limits = { bytes: 1000, lines: 100 };
  const dropped = viewOutput(outputOf(text, { headBytes: 20_000, tailBytes: 20_000 }), limits, PLAIN);
  assert.deepStrictEqual(dropped, viewOutput(outputOf(text), limits, PLAIN));
});

Deno.test("lastLines() shows the end of what there is so far", () => {
  assert.strictEqual(lastLines(outputOf(sequence(1, 50)), { bytes: 100, lines: 2 }, PLAIN), "49\n50\n");
  assert.strictEqual(lastLines(outputOf("half a line"), { bytes: 100, lines: 2 }, PLAIN), "half a line\n");
  assert.strictEqual(lastLines(outputOf(""), { bytes: 100, lines: 2 }, PLAIN), "");
});
