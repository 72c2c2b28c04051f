import assert from "node:assert/strict";
import { formatLine } from "./log_line.ts";

const RECORD = {
  time: new Date("2026-03-01T10:20:30.456Z"),
  level: "warn",
  message: "Something odd",
  fields: { operation: "op_1", tries: 3 },
  session: "0badcafe",
} as const;

Deno.test("L8 formatLine() writes time, level, session, message and fields on one line", () => {
  assert.strictEqual(
    formatLine(RECORD, { colour: false }),
    '2026-03-01T10:20:30.456Z WARN  0badcafe Something odd {"operation":"op_1","tries":3}\n',
  );
  assert.strictEqual(
    formatLine({ ...RECORD, level: "error", fields: undefined }, { colour: false }),
    "2026-03-01T10:20:30.456Z ERROR 0badcafe Something odd\n",
  );
});

Deno.test("L8 formatLine() colours the level only", () => {
  assert.strictEqual(
    formatLine({ ...RECORD, fields: undefined }, { colour: true }),
    "2026-03-01T10:20:30.456Z \x1b[33mWARN \x1b[0m 0badcafe Something odd\n",
  );
});

Deno.test("L8 formatLine() escapes control characters and redacts secrets, in message and fields", () => {
  const line = formatLine(
    { ...RECORD, message: "a\nb\x1b[31m\x9b token=abc", fields: { text: "c\r\nd\u2028", token: "abc" } },
    { colour: false },
  );
  assert.strictEqual(
    line,
    "2026-03-01T10:20:30.456Z WARN  0badcafe a\\u000ab\\u001b[31m\\u009b token=[redacted] " +
      '{"text":"c\\r\\nd\\u2028","token":"[redacted]"}\n',
  );
});

Deno.test("formatLine() cuts a line that is too long and says by how much", () => {
  const line = formatLine({ ...RECORD, message: "x".repeat(9000), fields: undefined }, { colour: false });
  assert.ok(line.endsWith(`${"x".repeat(100)} [808 more]\n`), line.slice(-130));
});
