import assert from "node:assert/strict";
import { createLog, formatLine } from "./log.ts";

function fixedTime(): Date {
  return new Date("2026-03-01T10:00:00Z");
}

Deno.test("L8 createLog() writes the daily file without debug lines, unless asked", async () => {
  const directory = await Deno.makeTempDir();
  try {
    for (const debug of [false, true]) {
      await using log = createLog({
        toStderr: false,
        debug,
        directory,
        colour: true,
        warn: assert.fail,
        now: fixedTime,
      });
      log.logger.debug("Detail");
      log.logger.info("Fact", { operation: "op_1" });
      log.logger.warn("Password is password=x");
      log.logger.error("Fault");
    }
    const text = await Deno.readTextFile(`${directory}/ahma_mcp.2026-03-01.log`);
    const quiet = [
      'INFO  S Fact {"operation":"op_1"}',
      "WARN  S Password is password=[redacted]",
      "ERROR S Fault",
    ];
    assert.deepStrictEqual(
      text.trimEnd().split("\n").map((line) =>
        line.replace(/^2026-03-01T10:00:00.000Z /, "").replace(/[0-9a-f]{8}/, "S")
      ),
      [...quiet, "DEBUG S Detail", ...quiet],
    );
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("L8 createLog() warns once when it cannot write, and goes on", async () => {
  const file = await Deno.makeTempFile();
  try {
    const warnings: string[] = [];
    for (const directory of [`${file}/logs`, undefined]) {
      await using log = createLog({
        toStderr: false,
        debug: false,
        directory,
        colour: false,
        warn: (sentence) => warnings.push(sentence),
      });
      log.start();
      log.logger.info("a");
      log.logger.info("b");
    }
    assert.strictEqual(warnings.length, 2);
    assert.match(warnings[0] ?? "", /^Cannot write the log: .*ot a directory.*; use "--log-to-stderr" to see it$/);
    assert.strictEqual(
      warnings[1],
      'Cannot write the log: Neither XDG_CACHE_HOME nor HOME names a directory for it; use "--log-to-stderr" to see it',
    );
  } finally {
    await Deno.remove(file);
  }
});

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
