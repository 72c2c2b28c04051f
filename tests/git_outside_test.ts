/**
 * S24: what a person's git does outside, in a repository in which commands of a sandbox did what they liked. Each row runs
 * without a sandbox too, once, as a control: its program must run there, or the row proves nothing.
 */
import assert from "node:assert/strict";
import { asUser } from "./attacks/means/as_user.ts";
import { FURTHER, type GitRow, REPORTED } from "./fixtures/git_outside_rows.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { type User, usersAtHand, type Workbench } from "./_support/workbench.ts";

const ROWS = [...REPORTED, ...FURTHER];
/** What a person types, and what editors and prompts ask in each directory that they enter. */
const USUAL = [
  "git status; git diff; git diff --submodule=diff; git log -1 --stat; git add -A; git stash; git stash pop; git fetch; git pull",
  "git checkout -q -b mine; git commit -q -am mine; git branch -a; git ls-files -m",
  `find . \\( -name .git -o -name objects -o -name refs -o -name hooks \\) -prune -o -type d -print0 | while read -r -d '' one; do
     (cd "$one" && git status --porcelain; git diff; git log -1 -p; git fetch -q; git rev-parse --show-toplevel)
   done`,
].join("\n");
/** Git does the same for each user: the control is that of one who can do less. */
const CONTROLLED_BY: User = "ordinary";
/** The result says it, where something is left that only a person's own word runs. */
const TOLD = /is obeyed by git now|holds what cannot be watched/;

const SAID = /\[Set aside: |is obeyed by git now/m;

const IDENTITY =
  "export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=n@e.invalid GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=n@e.invalid";

/** A shell line of the user's own; fails only where the system does. */
async function outside({ user, home }: Workbench, directory: string, line: string): Promise<void> {
  const [program = "", ...args] = asUser(user, ["bash", "-c", `${IDENTITY}\n${line}`]);
  const env = { PATH: Deno.env.get("PATH") ?? "", HOME: home, GIT_TERMINAL_PROMPT: "0", TMPDIR: home };
  await new Deno.Command(program, { args, cwd: directory, clearEnv: true, env, stdin: "null" }).output();
}

function directoryOf(base: string, row: GitRow): string {
  return `${base}/r${ROWS.indexOf(row)}`;
}

/** A program that leaves a file where commands of a sandbox cannot write. */
function trap(bench: Workbench, directory: string, row: GitRow): string {
  const proof = `${bench.elsewhere}/${directory.replaceAll("/", "-")}`;
  return bench.write(
    `${directoryOf(directory, row)}-program`,
    `#!/bin/sh\n: > '${proof}-${ROWS.indexOf(row)}'\nexit 1\n`,
  );
}

function filled(line: string, program: string, row: GitRow): string {
  return `${IDENTITY}\n${line.replaceAll("PROGRAM", program).replaceAll("ROW", `row${ROWS.indexOf(row)}`)}`;
}

async function start(bench: Workbench): Promise<ServerProcess> {
  await outside(bench, bench.home, "git config --global advice.addEmbeddedRepo false");
  for (const row of ROWS) await prepare(bench, bench.scope, row);
  return await ServerProcess.start(bench);
}

async function prepare(bench: Workbench, base: string, row: GitRow): Promise<void> {
  await Deno.chmod(trap(bench, base, row), 0o755);
  await outside(
    bench,
    base,
    `git init -q -b main ${directoryOf(base, row)} && cd ${directoryOf(base, row)} && git commit -q --allow-empty -m 1`,
  );
}

/** Whether the program ran outside. */
async function ranOutside(bench: Workbench, base: string, row: GitRow): Promise<boolean> {
  const isTrap = ({ name }: Deno.DirEntry) => name.endsWith(`-${ROWS.indexOf(row)}`);
  for await (const entry of Deno.readDir(bench.elsewhere)) {
    if (isTrap(entry)) await Deno.remove(`${bench.elsewhere}/${entry.name}`); // what ran while a command set it up
  }
  await outside(bench, directoryOf(base, row), `${USUAL}\n${row.outside ?? ""}`);
  return (await Array.fromAsync(Deno.readDir(bench.elsewhere))).some(isTrap);
}

for (const user of usersAtHand()) {
  const test = sharing(start, user);
  // What the server sees of a repository is the same for each user: root, who has other rights, tries the reported rows.
  for (const row of user === "root" ? REPORTED : ROWS) {
    test(`S24 git outside runs no program by ${row.name}, as ${user}`, async ({ bench, server }) => {
      const program = `${directoryOf(bench.scope, row)}-program`;
      let told = "";
      for (const line of row.lines) {
        told += (await server.shell(`cd ${directoryOf(bench.scope, row)}; ${filled(line, program, row)}`)).text;
      }
      const hasRun = await ranOutside(bench, bench.scope, row);
      assert.match(told, SAID);
      assert.ok(!hasRun || row.outside !== undefined && TOLD.test(told), `it ran; the results: ${told}`);

      if (user === CONTROLLED_BY) await control(bench, row);
    });
  }
}

/** The row without a sandbox. @throws AssertionError where its program does not run there. */
async function control(bench: Workbench, row: GitRow): Promise<void> {
  const base = `${bench.parent}/control`;
  await Deno.mkdir(base, { recursive: true, mode: 0o755 });
  if (Deno.uid() === 0) await Deno.chown(base, 65534, 65534);
  await prepare(bench, base, row);
  for (const line of row.lines) {
    await outside(bench, directoryOf(base, row), filled(line, `${directoryOf(base, row)}-program`, row));
  }
  assert.ok(await ranOutside(bench, base, row), "without a sandbox the program does not run: the row proves nothing");
}
