import assert from "node:assert/strict";
import type { Denial } from "../../src/base/command/denial.ts";
import { type Line, nextMove, tally, withFlag } from "./next_move.ts";

const NONE: ReadonlySet<string> = new Set();
const CLOSED: Denial = {
  path: "/w/words",
  access: ["read", "write"],
  scope: ["/w/app"],
  flags: ["--read /w/words", "--write /w/words"],
};
const HIDDEN: Denial = { ...CLOSED, hidden: true, flags: [] };

Deno.test("S35 a denial stops the client once for each flag, an answer to a question is followed by a call alone", () => {
  const after = (denials: readonly Denial[], given = NONE) => nextMove({ succeeded: false, denials }, given);
  assert.deepStrictEqual(nextMove({ succeeded: true, denials: [CLOSED] }, NONE), { move: "done" });
  assert.deepStrictEqual(after([]), { move: "failed" });
  assert.deepStrictEqual(after([HIDDEN]), { move: "failed" });
  assert.deepStrictEqual(after([HIDDEN, CLOSED]), { move: "restart", flag: "--read /w/words" });
  const given = new Set(["--read /w/words"]);
  assert.deepStrictEqual(after([CLOSED], given), { move: "restart", flag: "--write /w/words" });
  assert.deepStrictEqual(after([CLOSED], new Set(CLOSED.flags)), { move: "failed" });
  const answered = { ...CLOSED, answer: 'Reading "/w/words" is allowed now, for this session: call again' };
  assert.deepStrictEqual(after([HIDDEN, answered]), { move: "again" });
  assert.deepStrictEqual(after([{ ...CLOSED, answer: "It was refused" }]).move, "restart");
});

Deno.test("S35 a flag that a denial names joins the entry, hosts join its list", () => {
  const entry = ["--network", "packages,git-hosts", "--sync"];
  assert.deepStrictEqual(withFlag(entry, "--read /w/a b"), [...entry, "--read", "/w/a b"]);
  assert.deepStrictEqual(withFlag(entry, "--private-home"), [...entry, "--private-home"]);
  assert.deepStrictEqual(withFlag(entry, "--network ...,a.test"), ["--network", "packages,git-hosts,a.test", "--sync"]);
  assert.deepStrictEqual(withFlag([], "--network full"), ["--network", "full"]);
});

Deno.test("S35 the tally counts what went on by itself apart from what was called again, stopped or failed", () => {
  const line = (questions: number, stops: number, again: number): Line => {
    return { questions, stops, again, succeeded: true };
  };
  const lines = [line(0, 0, 0), line(1, 0, 0), line(2, 0, 0), line(2, 0, 2), line(0, 1, 0), line(1, 1, 1)];
  assert.deepStrictEqual(tally([...lines, { ...line(1, 0, 0), succeeded: false }]), {
    lines: 7,
    questions: 7,
    stops: 2,
    again: 3,
    wentOn: 2,
    failed: 1,
  });
  assert.deepStrictEqual(tally([]), { lines: 0, questions: 0, stops: 0, again: 0, wentOn: 0, failed: 0 });
});
