/** The parts of the page that need no browser (V2). */
import assert from "node:assert/strict";
import ANSI from "./ansi.js" with { type: "text" };
import MODEL from "./model.js" with { type: "text" };
import TERMINAL from "./terminal.js" with { type: "text" };
import TEXT from "./text.js" with { type: "text" };
import TIMELINE from "./timeline.js" with { type: "text" };

interface Line {
  readonly runs: readonly { readonly text: string; readonly style: object }[];
  readonly text: string;
  readonly cut: number;
  readonly rewritten: boolean;
}

interface Key {
  readonly key: string;
  readonly ctrlKey?: true;
  readonly altKey?: true;
  readonly shiftKey?: true;
}

interface Layout {
  readonly lanes: number;
  readonly groups: readonly { readonly bars: readonly { readonly lane: number; readonly x: number }[] }[];
}

interface PageParts {
  readonly AnsiLines: new () => { readonly line: Line; write(text: string): readonly Line[] };
  visible(text: unknown, longest?: number): string;
  duration(ms: number): string;
  bytes(count: number): string;
  colourOf(colour: unknown): string | undefined;
  keySequence(key: Key): string | undefined;
  timelineLayout(operations: readonly object[], now: number): Layout;
}

const NAMES = ["AnsiLines", "visible", "duration", "bytes", "colourOf", "keySequence", "timelineLayout"];
const SOURCE = [TEXT, ANSI, MODEL, TERMINAL, TIMELINE, `export { ${NAMES.join(", ")} };`].join("\n");

/** They stand in one module with those of the page, which this is a part of. */
async function parts(): Promise<PageParts> {
  return await import(`data:text/javascript,${encodeURIComponent(SOURCE)}`);
}

Deno.test("V2 AnsiLines keeps colours and leaves out what terminals obey, in whatever pieces it comes", async () => {
  const { AnsiLines } = await parts();
  const text =
    "a\x1b[1;31mred\x1b[0m \x1b[38;5;208mo\x1b[48;2;1;2;3mb\x1b[m\x1b]8;;http://evil.test\x1b\\link\x1b]8;;\x07\r\n" +
    "10 %\r20 %\x1b[2K\x1b[5A\x1b]0;title\x07\nlast";
  const whole = new AnsiLines();
  const [first, second] = whole.write(text);
  assert.deepStrictEqual(first?.runs.map(({ text, style }) => [text, { ...style }]), [
    ["a", {}],
    ["red", { bold: true, fg: 1 }],
    [" ", {}],
    ["o", { fg: 208 }],
    ["b", { fg: 208, bg: "#010203" }],
    ["link", {}],
  ]);
  assert.deepStrictEqual([second?.text, second?.rewritten, whole.line.text], ["20 %", true, "last"]);
  const pieces = new AnsiLines();
  const lines = [...text].flatMap((character) => pieces.write(character));
  assert.deepStrictEqual([...lines, pieces.line].map(({ text }) => text), ["ared oblink", "20 %", "last"]);
  const long = new AnsiLines();
  const [cut] = long.write(`${"x".repeat(1_000_000)}\n`);
  assert.deepStrictEqual([cut?.text.length, cut?.cut], [4_000, 996_000]);
});

Deno.test("V3 visible() shows each character that has no shape or reorders others", async () => {
  const { visible, colourOf } = await parts();
  assert.strictEqual(visible("a\x1b[31m\u202eb\u2066\x7f\0\n c"), "a␛[31m⟨U+202E⟩b⟨U+2066⟩␡␀ c");
  assert.strictEqual(visible("\u{e0041}\ud800"), "⟨U+E0041⟩\ufffd");
  assert.strictEqual(visible("x".repeat(10_000)), `${"x".repeat(2_000)}…`);
  assert.deepStrictEqual([undefined, null, {}, 7].map((value) => visible(value)), ["", "", "[object Object]", "7"]);
  const given = ["#0a0B0c", "red", "#fff;x:url(//e.test)", 1, 255, 196, 256, -1, "javascript:1"];
  assert.deepStrictEqual(given.map(colourOf), [
    "#0a0B0c",
    undefined,
    undefined,
    "var(--c1)",
    "#eeeeee",
    "#ff0000",
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("V2 keys become what terminals send, and characters stay text", async () => {
  const { keySequence } = await parts();
  const keys: readonly Key[] = [
    { key: "Enter" },
    { key: "ArrowUp" },
    { key: "ArrowUp", ctrlKey: true },
    { key: "Tab", shiftKey: true },
    { key: "c", ctrlKey: true },
    { key: "x", altKey: true },
    { key: "F5" },
    { key: "F13" },
    { key: "ü" },
    { key: "constructor" },
  ];
  assert.deepStrictEqual(keys.map(keySequence), [
    "\r",
    "\x1b[A",
    "\x1b[1;5A",
    "\x1b[Z",
    "\x03",
    "\x1bx",
    "\x1b[15~",
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("V2 bars of the last hour stand in lanes where none covers another, and older ones are left out", async () => {
  const { timelineLayout, duration, bytes } = await parts();
  const now = 10 * 3_600_000;
  const bar = (began: number, elapsedMs: number, project = "/a") => ({
    state: "completed",
    began: now - began,
    elapsedMs,
    project,
  });
  const { groups, lanes } = timelineLayout([
    bar(1_800_000, 900_000),
    bar(1_700_000, 10),
    bar(600_000, 10),
    bar(7_200_000, 10),
    bar(7_200_000, 6_000_000, "/b"),
  ], now);
  assert.deepStrictEqual(groups.map(({ bars }) => bars.map(({ lane }) => lane)), [[0, 1, 0], [0]]);
  assert.deepStrictEqual([lanes, groups[0]?.bars[0]?.x, groups[1]?.bars[0]?.x], [5, 0.5, 0]);
  assert.deepStrictEqual([0, 9_999, 61_000, 3_660_000].map(duration), ["0.0 s", "10.0 s", "1 min 01 s", "1 h 01 min"]);
  assert.deepStrictEqual([1, 2_048, 3 * 1024 ** 2].map(bytes), ["1 B", "2 KiB", "3.0 MiB"]);
});
