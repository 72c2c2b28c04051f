import assert from "node:assert/strict";
import { encodeText } from "../../base/text.ts";
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
