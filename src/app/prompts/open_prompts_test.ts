import assert from "node:assert/strict";
import { promptVariables } from "./open_prompts.ts";

/** The branch that templates see when `.git/HEAD` says this. */
async function branch(prepare: (directory: string) => Promise<void>): Promise<unknown> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  await prepare(directory);
  // A function is called by the template that asks for it.
  const { git_branch } = promptVariables({ directory, issues: "", environment: {}, now: new Date() }) as {
    git_branch(): string;
  };
  const found = git_branch();
  await Deno.remove(directory, { recursive: true });
  return found;
}

Deno.test("Q4 templates know the project, the day, the branch and the variables that the user names", async () => {
  const now = new Date(2026, 0, 31, 23, 59);
  const { git_branch: _, ...values } = promptVariables({
    directory: "/a/project",
    issues: "/a/project/.ahma/issues",
    environment: { LANG: "C" },
    now,
  });
  assert.deepStrictEqual(values, {
    project_name: "project",
    working_directory: "/a/project",
    issues_directory: "/a/project/.ahma/issues",
    date: "2026-01-31",
    env: { LANG: "C" },
  });
  const head = (text: string) => async (directory: string) => {
    await Deno.mkdir(`${directory}/.git`);
    await Deno.writeTextFile(`${directory}/.git/HEAD`, text);
  };
  assert.deepStrictEqual(
    await Promise.all([
      branch(head("ref: refs/heads/wt/prompts\n")),
      branch(head("0123456789abcdef\n")),
      branch(head("ref: refs/heads/a\nsecret: b\n")),
      branch(() => Promise.resolve()),
      branch((directory) => Deno.symlink("/etc", `${directory}/.git`)),
    ]),
    ["wt/prompts", "", "", "", ""],
  );
});
