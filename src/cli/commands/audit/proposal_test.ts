import assert from "node:assert/strict";
import { type DeniedSubject, DeniedSubjects, proposedSettings } from "./proposal.ts";

function line(
  denials: readonly object[],
  { time = "2026-03-02T10:00:00.000Z", tool = "sandboxed_shell" } = {},
): object {
  return { time, tool, event: "end", denials };
}

const FONTS = { path: "/srv/fonts", access: ["read", "write"], flags: ["--read /srv/fonts", "--write /srv/fonts"] };
const OUT = { path: "/srv/out/a", access: ["write"], flags: ["--write /srv/out"] };
const HOST = { operation: "network", subject: "x.org:443", flags: ["--network ...,x.org:443"] };
const LINES = [
  line([FONTS, HOST]),
  line([FONTS], { time: "2026-03-03T10:00:00.000Z", tool: "npm_test" }),
  line([OUT, { path: "/s/.git/hooks", access: ["write"], flags: ["--allow-protected .git/hooks"] }]),
  line([{ operation: "network", subject: "y.org", flags: ["--network full"] }]),
  line([{ path: "/etc", access: ["write"], flags: [] }]),
  null,
  { time: 5, denials: [FONTS] },
  { time: "2026-03-02T10:00:00.000Z", denials: [null, {}] },
];

function deniedSubjects(lines: readonly unknown[]): readonly DeniedSubject[] {
  const subjects = new DeniedSubjects();
  for (const one of lines) subjects.add(one);
  return subjects.found;
}

Deno.test("L11 DeniedSubjects sums up by subject, the most frequent first", () => {
  const subjects = deniedSubjects(LINES);
  assert.deepEqual(subjects.map(({ subject, times, flag, isRisky }) => [subject, times, flag, isRisky]), [
    ["/srv/fonts", 2, "--read /srv/fonts", false],
    ["x.org:443", 1, "--network ...,x.org:443", false],
    ["/srv/out/a", 1, "--write /srv/out", false],
    ["/s/.git/hooks", 1, "--allow-protected .git/hooks", true],
    ["y.org", 1, "--network full", true],
    ["/etc", 1, undefined, false],
  ]);
  assert.deepEqual([subjects[0]?.last, subjects[0]?.tools], ["2026-03-03T10:00:00.000Z", [
    "sandboxed_shell",
    "npm_test",
  ]]);
});

Deno.test("L11 proposedSettings() proposes no name that draws on a terminal or forges a line", () => {
  const flags = ["\x1b[2J", "a\nb", "\u202ea"].map((name) => `--read /srv/${name}`);
  const subjects = deniedSubjects(flags.map((flag) => line([{ path: flag, access: ["read"], flags: [flag] }])));
  assert.deepEqual(subjects.map(({ isRisky }) => isRisky), [true, true, true]);
  assert.deepEqual(proposedSettings(subjects, {}), {});
});

Deno.test("L11 proposedSettings() adds to lists that are there, and proposes nothing that opens much", () => {
  const subjects = deniedSubjects(LINES);
  assert.deepEqual(proposedSettings(subjects, { read: ["/a"], network: ["packages"] }), {
    read: ["/a", "/srv/fonts"],
    network: ["packages", "x.org:443"],
    write: ["/srv/out"],
  });
  assert.deepEqual(proposedSettings([], {}), {});
});
