import assert from "node:assert/strict";
import { encodeText } from "../../../base/text.ts";
import { beforeDetachKey, resetSequence, ScreenTracker } from "./terminal_modes.ts";

Deno.test("X24 beforeDetachKey() finds ctrl-] in each form that terminals give it", () => {
  const before = (typed: string) => {
    const found = beforeDetachKey(encodeText(typed));
    return found && new TextDecoder().decode(found);
  };
  assert.deepStrictEqual(
    ["ab", "\x1dx", "ü\x1d", "a\x1b[93;5u", "a\x1b[27;5;93~", "\x1b[93;5"].map(before),
    [undefined, "", "ü", "a", "a", undefined],
  );
});

Deno.test("X24 ScreenTracker notices the other screen, however its sequences are cut", () => {
  const tracker = new ScreenTracker();
  const seen: boolean[] = [];
  for (const part of ["\x1b[?10", "49h", "text\x1b[?25l", "\x1b[?1049l\x1b[?1;1047h", "\x1b[?10490h\x1b[?47l"]) {
    tracker.push(encodeText(part));
    seen.push(tracker.isOther);
  }
  assert.deepStrictEqual(seen, [false, true, true, true, false]);
  assert.deepStrictEqual(
    [true, false].map((isOther) => resetSequence({ isOther }).endsWith("\x1b[?1049l")),
    [true, false],
  );
});
