import assert from "node:assert/strict";
import { makeSeenDirectory } from "../../../base/_support/seen_directory.ts";
import { PLAIN } from "../../terminal/colours.ts";
import { widthOf } from "../../terminal/columns.ts";
import { AuditAdder } from "./audit_sum.ts";
import { auditText, problemsOf } from "./audit_text.ts";
import { readLog } from "./log_lines.ts";

const FONTS = { path: "/srv/fonts", access: ["read"], flags: ["--read /srv/fonts"] };

function at(seconds: number): string {
  return new Date(Date.UTC(2026, 2, 2) + seconds * 1000).toISOString();
}

function run(id: string, words: object, { from = 0, to = 1, end = {} } = {}): readonly object[] {
  const base = { session: "a", operation: id, ...words };
  return [{ time: at(from), event: "start", ...base }, { time: at(to), event: "end", ...base, exit_code: 0, ...end }];
}

const SHELL = { tool: "sandboxed_shell", cwd: "/home/me/web" };
const LINES = [
  ...run("op_1", { ...SHELL, shell: "cd app && X=1 /usr/bin/npm test; echo" }, { to: 60 }),
  ...run("op_2", { ...SHELL, shell: "for i in 1 2; do if A=1 npm ci; then :; fi; done" }, {
    to: 30,
    end: { exit_code: 1, denials: [FONTS, FONTS] },
  }),
  {
    time: at(1),
    session: "a",
    operation: "op_3",
    event: "start",
    tool: "git_log",
    argv: ["/bin/git"],
    cwd: "/home/me/x",
  },
  {
    time: at(2),
    session: "a",
    operation: "op_3",
    event: "network",
    tool: "git_log",
    name: "a.test",
    bytes_in: 7,
    bytes_out: 1,
  },
  { time: at(2), session: "a", operation: "op_3", event: "network", tool: "git_log", name: "b.test", refused: "list" },
  { time: at(3), session: "a", operation: "op_3", event: "kill", tool: "git_log", by: "person" },
  { time: at(4), session: "a", operation: "op_3", event: "end", tool: "git_log", signal: "SIGTERM" },
  ...run("op_4", { tool: "web_fetch", server: "fetch", called: "get" }, {
    end: { outcome: "failed", exit_code: undefined },
  }),
  // It never ended: its server was killed. Another session uses the id again.
  { time: at(5), session: "b", operation: "op_1", event: "start", ...SHELL, shell: "npm run dev" },
];

function sumOf(lines: readonly object[], filter = {}) {
  const adder = new AuditAdder(filter);
  for (const line of lines) adder.add({ ...line });
  return adder.sum;
}

Deno.test("V1 AuditAdder says what ran, how often and how long, what failed and was denied, and which names", () => {
  const { ran, denials, names, killed } = sumOf(LINES);
  assert.deepStrictEqual(ran.map((one) => Object.values(one).slice(0, 7)), [
    ["sandboxed_shell", "npm", 3, 1, 2, 90_000, 60_000],
    ["git_log", "git", 1, 1, 0, 3000, 3000],
    ["web_fetch", "fetch: get", 1, 1, 0, 1000, 1000],
  ]);
  assert.strictEqual(ran[0]?.last, at(5));
  assert.deepStrictEqual(denials.map(({ subject, times, flag }) => [subject, times, flag]), [
    ["/srv/fonts", 2, "--read /srv/fonts"],
  ]);
  assert.deepStrictEqual([names.map((one) => Object.values(one)), killed], [
    [["b.test", 0, 1, 0, 0], ["a.test", 1, 0, 7, 1]],
    1,
  ]);
  const web = sumOf(LINES, { directory: "/home/me/web" });
  assert.deepStrictEqual([web.ran.map(({ tool }) => tool), web.names, web.killed], [["sandboxed_shell"], [], 0]);
  assert.deepStrictEqual(sumOf(LINES, { tool: "git_log" }).ran.map(({ tool }) => tool), ["git_log"]);
});

Deno.test("V1 AuditAdder keeps a bounded number of rows of a log with different words in each line", () => {
  const lines = Array.from({ length: 6_000 }, (_, index) => [
    ...run(`op_${index}`, { ...SHELL, shell: `p${index}` }, { end: { denials: [{ ...FONTS, path: `/${index}` }] } }),
    { time: at(1), session: "c", operation: `${index}`, event: "start", ...SHELL, shell: "x" },
    { time: at(1), session: "c", operation: `${index}`, event: "network", name: `${index}.test` },
  ]).flat();
  const { ran, denials, names } = sumOf(lines);
  assert.deepStrictEqual([ran.length, denials.length, names.length], [5001, 5000, 5001]);
  assert.strictEqual(ran.reduce((sum, { runs }) => sum + runs, 0), 12_000);
});

Deno.test("V1 S22 auditText() keeps to the width, and foreign text draws nothing", () => {
  const hostile = "\x1b[2J\u202e\n日本" + "x".repeat(100_000);
  const lines = [
    ...run("op_1", { tool: hostile, shell: hostile }, { end: { denials: [{ ...FONTS, path: hostile }] } }),
    { time: at(1), session: "a", operation: "op_1", event: "network", name: hostile },
  ];
  const report = { since: "7d", logs: [], ...sumOf([...LINES, ...lines]) };
  for (const width of [80, 100, 200]) {
    const text = auditText(report, { width, colours: PLAIN, deniedOnly: false });
    assert.match(text, /^The last 7d: 6 runs, 3 failed, 1 ended by a person, 1 min 35 s in all\n\nTOOL +PROGRAM +RUNS/);
    for (const line of text.split("\n")) assert.ok(widthOf(line) <= width, line);
    // deno-lint-ignore no-control-regex -- what must not be there
    assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f\u202e]/);
  }
  const none = auditText({ since: "1h", logs: [], ...sumOf([]) }, { width: 80, colours: PLAIN, deniedOnly: true });
  assert.strictEqual(none, "The last 1h: 0 runs, 0 failed, 0 ms in all\n\nNothing was denied\n");
});

Deno.test("V1 readLog() counts lines that it cannot read, skips older ones, and says why there is no log", async () => {
  const directory = makeSeenDirectory("ahma-audit-");
  try {
    const path = `${directory}/log`;
    const line = (seconds: number) => JSON.stringify({ time: at(seconds), event: "start" });
    const long = `{"event":"${"x".repeat(5_000_000)}`;
    await Deno.writeTextFile(
      path,
      [line(0), line(50), "{", long, '{"time":"x","event":"start"}', "", line(60)].join("\n"),
    );
    const taken: unknown[] = [];
    const read = await readLog(path, Date.parse(at(50)), ({ time }) => taken.push(time));
    assert.deepStrictEqual([read, taken], [{ path, lines: 6, bad: 3 }, [at(50), at(60)]]);
    const missing = await readLog(`${directory}/none`, 0, () => assert.fail());
    assert.match(problemsOf({ logs: [missing] })[0] ?? "", /^Cannot read the audit log ".*none": No such file/);
    assert.deepStrictEqual(problemsOf({ logs: [{ path: "/a\n", lines: 2, bad: 1 }] }), [
      '1 line of "/a\\n" cannot be read: cut off, or not of an audit log',
    ]);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
