import assert from "node:assert/strict";
import type { Denial, PathDenial } from "../base/command/denial.ts";
import { ASK_KINDS } from "../base/command/grant_subject.ts";
import { deniedSubjects } from "./denied_subject.ts";

const ALL = { kinds: new Set(ASK_KINDS), home: "/home/me" };
const SCOPE = ["/home/me/work"];

function path(flags: readonly string[], more: Partial<PathDenial> = {}): PathDenial {
  return { path: "/home/me/data/f", access: ["read", "write"], scope: SCOPE, flags, ...more };
}

/** What is asked for, as words. */
function asked(denial: Denial, question = ALL): readonly string[] {
  return deniedSubjects(denial, question).map((one) => `${one.kind} ${one.path}`);
}

Deno.test("S35 deniedSubjects() gives what the flags of a denial would open, the least first", () => {
  const both = path(["--read /home/me/data/f", "--write /home/me/data"]);
  assert.deepStrictEqual(asked(both), ["read /home/me/data/f", "write /home/me/data"]);
  assert.deepStrictEqual(asked(both, { ...ALL, kinds: new Set(["write"] as const) }), ["write /home/me/data"]);
  assert.deepStrictEqual(asked(both, { ...ALL, kinds: new Set() }), []);
  const hooks = path(["--allow-protected .git/hooks"], { path: "/home/me/work/.git/hooks/x", protected: true });
  assert.deepStrictEqual(asked(hooks), ["protected /home/me/work/.git/hooks"]);
});

Deno.test("S35 deniedSubjects() gives nothing that no flag opens, and never home, /, or what holds or is the scope", () => {
  const none: readonly Denial[] = [
    path([]),
    path(["--private-home"]),
    path(["--unix-sockets allow"]),
    path(["--read /home/me/.ssh"], { hidden: true }),
    path(["--read /home/me/.npmrc"], { copied: true }),
    path(["--read /"]),
    path(["--write /home"]),
    path(["--write /home/me"]),
    path(["--read /home/me/work"]),
    path(["--write /home/me/work/x"]),
    path(["--read /data/\u001b[31m"]),
    path(["--read /data/\u202ex"]),
    path(["--read relative"], { scope: [] }),
    path(["--allow-protected /home/me/other/.git/hooks"]),
    { operation: "network", subject: "x.org", reason: "", scope: SCOPE, flags: ["--network full"] },
  ];
  for (const denial of none) assert.deepStrictEqual([denial, asked(denial)], [denial, []]);
});
