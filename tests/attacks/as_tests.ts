/** Rows of the catalogue as tests: one a row, on servers that they share. */
import assert from "node:assert/strict";
import { type User, usersAtHand } from "../_support/workbench.ts";
import type { Attack, Row } from "./frame/attack.ts";
import { AWAITED } from "./frame/awaited.ts";
import { Range, type RangeOptions } from "./frame/range.ts";
import { rowText, succeeded } from "./frame/report.ts";
import { inFile } from "../_support/sharing.ts";
import { runAttack } from "./frame/run_attack.ts";

/** Makes a test of each row that `user` can try, and one that the servers leave nothing; `proven` are requirements. */
export function testRows(user: User, rows: readonly Row[], proven = "S3 S4 S8", options: RangeOptions = {}): void {
  const range = new Range(user, { brief: true, ...options });
  for (const row of rows) if (isTriedBy(row, user)) testRow(row, { range, proven });
  Deno.test({
    name: `X10 the attacked servers end and leave nothing, as ${user}`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => await range[Symbol.asyncDispose](),
  });
}

/**
 * The same as root, where its verdict shows more; one ignored test where the tests do not run as root. What a way does
 * without the sandbox is shown by the ordinary user, who can do less.
 */
export function testRowsAsRoot(rows: readonly Row[], proven = "S3 S4 S8", options: RangeOptions = {}): void {
  const telling = rows.filter((row) => !("alikeForRoot" in row));
  if (usersAtHand().includes("root")) {
    return testRows("root", telling, proven, { controlledBy: "ordinary", ...options });
  }
  Deno.test({ name: `${proven} rows as root (ignored: the tests do not run as root)`, ignore: true, fn: () => {} });
}

function isTriedBy(row: Row, user: User): row is Attack {
  return !("notApplicable" in row) && row.users.includes(user) && Object.values(row.ways).some(isTried);
}

/** Tests try no way that nearly repeats another. */
function isTried(way: Attack["ways"][string]): boolean {
  return typeof way === "function" || way.extended === undefined;
}

function testRow(row: Attack, { range, proven }: { readonly range: Range; readonly proven: string }): void {
  const awaited = AWAITED[row.id];
  const reason = awaited === undefined ? "" : ` (ignored: awaits ${awaited})`;
  Deno.test({
    name: `${proven} ${row.id} ${row.title}, as ${range.user}${reason}`,
    ignore: awaited !== undefined,
    // The servers are shared by the rows and end in the last test.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: (t) =>
      inFile(t, async () => {
        const result = await runAttack(row, range);
        assert.ok(succeeded([result]), rowText(result, { colour: false }));
      }),
  });
}
