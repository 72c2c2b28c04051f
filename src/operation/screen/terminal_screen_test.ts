import assert from "node:assert/strict";
import { encodeText } from "../../base/text.ts";
import { boundedEmulator } from "./bounded_emulator.ts";
import { TerminalScreen } from "./terminal_screen.ts";

async function drawn(...texts: readonly string[]): Promise<TerminalScreen> {
  const screen = new TerminalScreen({ columns: 20, rows: 4 });
  for (const text of texts) screen.write(encodeText(text));
  await screen.read();
  return screen;
}

Deno.test("X22 TerminalScreen shows what a program draws, in however many pieces it comes", async () => {
  using screen = await drawn("\x1b[2J\x1b[2;", "3Hwo", "rd\x1b[3;1H\x1b[31mmore\x1b[0m");
  assert.deepStrictEqual(await screen.read(), { lines: ["", "  word", "more"], row: 3, column: 5 });
  assert.deepStrictEqual([screen.isDrawn, screen.applicationKeys], [true, false]);
  screen.forget();
  assert.ok(!screen.isDrawn);
  screen.write(encodeText("\x1b[?1049h\x1b[?1h"));
  await screen.read();
  assert.deepStrictEqual([screen.isDrawn, screen.applicationKeys], [true, true]);
});

Deno.test("X22 TerminalScreen does not take lines of a shell for a drawing", async () => {
  using screen = await drawn("$ ls\r\n\x1b[34mone\x1b[0m  two\r\n$ \x1b[K\x1b[?2004h");
  assert.ok(!screen.isDrawn);
  assert.deepStrictEqual(screen.now.lines, ["$ ls", "one  two", "$"]);
});

Deno.test("X22 TerminalScreen makes a writer wait that is faster than it", async () => {
  using screen = new TerminalScreen({ columns: 80, rows: 24 });
  const redraw = encodeText(`\x1b[H${"x".repeat(1_900)}`.repeat(32));
  let waits = 0;
  for (let bytes = 0; bytes < 10 * 1024 * 1024; bytes += redraw.length) {
    screen.write(redraw);
    const { pressure } = screen;
    if (pressure === undefined) continue;
    waits++;
    await pressure;
    assert.strictEqual(screen.pressure, undefined);
  }
  await screen.read();
  assert.ok(waits > 10, `${waits}`);
});

Deno.test("X22 S22 a program cannot make the emulator count for hours, or keep what is not on the screen", async () => {
  const huge = ["L", "M", "S", "T", "I", "Z", "b"].map((final) => `a\x1b[2147483647${final}`).join("");
  const strings = ["\x1b]2;title\x07", "\x1bP$qm\x1b\\", "\x1b]11;?\x07"].join("");
  using screen = await drawn(huge, strings, "\x1b[2J\x1b[H", "o", "\u0301".repeat(5_000), "\x1b[4;1Hlast");
  const { lines } = await screen.read();
  // Each of the 80 places has a character and 16 marks at most.
  assert.ok(lines.join("").length <= 80 * 17, `${lines.join("").length}`);
  assert.match(lines.at(-1) ?? "", /^last/);
  // Counts within the screen do what they say.
  using counted = await drawn("one\r\ntwo\r\nthree\x1b[2S!\x1b[1;1Hx\x1b[3b");
  assert.deepStrictEqual(counted.now.lines, ["xxxxe", "", "     !"]);
});

Deno.test("X22 S22 the emulator answers nothing, and keeps no title", async () => {
  const terminal = await boundedEmulator(20, 4);
  const told: string[] = [];
  terminal.onTitleChange((title) => told.push(title));
  terminal.onData((data) => told.push(data));
  await new Promise<void>((resolve) => terminal.write("\x1b]2;title\x07\x1bP$qm\x1b\\\x1b]11;?\x07end", resolve));
  assert.deepStrictEqual(told, []);
  assert.strictEqual(terminal.buffer.active.getLine(0)?.translateToString(true), "end");
  terminal.dispose();
});

Deno.test("X22 TerminalScreen shows nothing of a command that has ended, to one who waits for its drawing too", async () => {
  const screen = await drawn("drawn");
  assert.deepStrictEqual(screen.now.lines, ["drawn"]);
  screen.write(encodeText(" more"));
  const reading = screen.read();
  screen[Symbol.dispose]();
  assert.deepStrictEqual(await reading, { lines: [], row: 1, column: 1 });
});
