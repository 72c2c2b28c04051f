import assert from "node:assert/strict";
import { encodeText } from "../base/text.ts";
import { TerminalScreen } from "../operation/screen/terminal_screen.ts";
import { screenRows } from "./screen_rows.ts";

Deno.test("V2 a screen becomes rows of runs that look the same, without blanks at their ends", async () => {
  using screen = new TerminalScreen({ columns: 12, rows: 3 });
  screen.write(encodeText("plain \x1b[1;31mred\x1b[0m\r\n\x1b[38;2;1;2;255mrgb\x1b[0m \x1b[7mturned\x1b[0m\r\n世界"));
  await screen.read();
  const { emulator = assert.fail("The emulator is not loaded") } = screen;
  assert.deepStrictEqual(screenRows(emulator), [
    [{ text: "plain " }, { fg: 1, bold: true, text: "red" }],
    [{ fg: "#0102ff", text: "rgb" }, { text: " " }, { inverse: true, text: "turned" }],
    [{ text: "世界" }],
  ]);
});
