/**
 * S24: what a person's git does outside, in a repository in which commands of a sandbox did what they liked. Each row runs
 * without a sandbox too, once, as a control: its program must run there, or the row proves nothing.
 */
import assert from "node:assert/strict";
import { asUser } from "./attacks/means/as_user.ts";
import { FURTHER, type GitRow, REPORTED } from "./fixtures/git_outside_rows.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { exists, ORDINARY_ID, type Workbench } from "./_support/workbench.ts";

const ROWS = [...REPORTED, ...FURTHER];
/** What a person types, and what editors and prompts ask in each directory that they enter. */
const USUAL = [
  "git status; git diff; git diff --submodule=diff; git log -1 -p --stat; git add -A; git stash; git stash pop; git fetch; git pull",
  "git checkout -q -b mine; git commit -q -am mine; git branch -a; git ls-files -m",
  `find . -mindepth 1 \\( -name .git -o -name objects -o -name refs -o -name hooks \\) -prune -o -type d -print0 | while read -r -d '' one; do
     (cd "$one" && git status --porcelain; git diff; git log -1 -p; git fetch -q)
   done`,
].join("\n");
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

/** What the program of a row leaves, where commands of a sandbox cannot write. */
function proofOf({ elsewhere }: Workbench, base: string, row: GitRow): string {
  return `${elsewhere}/${base.replaceAll("/", "-")}-${ROWS.indexOf(row)}`;
}

function filled(line: string, program: string, row: GitRow): string {
  return `${IDENTITY}\n${line.replaceAll("PROGRAM", program).replaceAll("ROW", `row${ROWS.indexOf(row)}`)}`;
}

async function start(bench: Workbench): Promise<ServerProcess> {
  const control = `${bench.parent}/control`;
  await Deno.mkdir(control, { mode: 0o755 });
  if (bench.user === "ordinary" && Deno.uid() === 0) await Deno.chown(control, ORDINARY_ID, ORDINARY_ID);
  const quiet = "git config --global advice.addEmbeddedRepo false; git config --global maintenance.auto false";
  await outside(bench, bench.home, quiet);
  for (const base of [bench.scope, control]) await prepare(bench, base);
  return await ServerProcess.start(bench);
}

/** A repository and a program for each row. */
async function prepare(bench: Workbench, base: string): Promise<void> {
  for (const row of ROWS) {
    const program = `#!/bin/sh\n: > '${proofOf(bench, base, row)}'\nexit 1\n`;
    await Deno.chmod(bench.write(`${directoryOf(base, row)}-program`, program), 0o755);
  }
  const directories = ROWS.map((row) => directoryOf(base, row)).join(" ");
  const make = "git init -q -b main seed && git -C seed commit -q --allow-empty -m 1 && rm seed/.git/hooks/*";
  await outside(bench, base, `${make} && for one in ${directories}; do cp -r seed $one; done; rm -rf seed`);
}

/** Whether the program ran outside: what follows is left out then. */
async function ranOutside(bench: Workbench, base: string, row: GitRow): Promise<boolean> {
  const proof = proofOf(bench, base, row);
  if (exists(proof)) await Deno.remove(proof); // what ran while a command set it up
  const untilProof = `set -T; trap '[ ! -e ${proof} ] || exit 0' DEBUG`;
  await outside(bench, directoryOf(base, row), `${untilProof}\n${USUAL}\n${row.outside ?? ""}`);
  return exists(proof);
}

// What the server sees of a repository is the same for each user; set_aside_test.ts has root, too.
const test = sharing(start, "ordinary");
for (const row of ROWS) {
  test(`S24 git outside runs no program by ${row.name}`, async ({ bench, server }) => {
    const program = `${directoryOf(bench.scope, row)}-program`;
    let told = "";
    for (const line of row.lines) {
      told += (await server.shell(`cd ${directoryOf(bench.scope, row)}; ${filled(line, program, row)}`)).text;
    }
    const hasRun = await ranOutside(bench, bench.scope, row);
    assert.match(told, SAID);
    assert.ok(!hasRun || row.outside !== undefined && TOLD.test(told), `it ran; the results: ${told}`);
    await control(bench, row);
  });
}

/** The row without a sandbox. @throws AssertionError where its program does not run there. */
async function control(bench: Workbench, row: GitRow): Promise<void> {
  const base = `${bench.parent}/control`;
  for (const line of row.lines) {
    await outside(bench, directoryOf(base, row), filled(line, `${directoryOf(base, row)}-program`, row));
  }
  assert.ok(await ranOutside(bench, base, row), "without a sandbox the program does not run: the row proves nothing");
}
