/**
 * Prints the tests of the shipped tool files that changed since the last git tag, committed or not; all tests if there
 * is no tag. A change of the code that turns files into commands counts as a change of all. With `--commit` only the
 * files that the next commit changes count, each by itself.
 *
 *   deno test $(deno run --allow-read --allow-run=git scripts/gate/changed_tools.ts)
 */

import { GROUPS } from "../../tests/tools/groups.ts";

/** The code that turns every tool file into commands, and what all of these tests share. */
const COMMON = /^(src\/(catalog|command)\/.*(?<!_test)|tests\/tools\/[^/]*(?<!_test))\.ts$/;

/**
 * Those of the tools whose file or test is among the changed paths.
 *
 * @param changed From the root of the repository; undefined: not known, which gives all tools.
 * @param tools Base names of the files in tools/, without the ending.
 */
export function toolsToTry(changed: readonly string[] | undefined, tools: readonly string[]): readonly string[] {
  const ofAll = (path: string) => COMMON.test(path) && !tools.some((tool) => path === rowsOf(tool));
  if (changed === undefined || changed.some(ofAll)) return tools;
  return toolsChanged(changed, tools);
}

/** Those of the tools whose own file or test is among the changed paths, from the root of the repository. */
export function toolsChanged(changed: readonly string[], tools: readonly string[]): readonly string[] {
  return tools.filter((tool) => changed.includes(`tools/${tool}.json`) || changed.includes(rowsOf(tool)));
}

/** How the leaves of a tool file are tried. */
function rowsOf(tool: string): string {
  return `tests/tools/${tool}.ts`;
}

/** Paths that differ from the last tag, files that git does not know yet included; undefined: there is no tag or no git. */
export async function changedSinceTag(root: string): Promise<readonly string[] | undefined> {
  const tag = await git(root, ["describe", "--tags", "--abbrev=0"]);
  return tag?.[0] === undefined ? undefined : await changedSince(root, tag[0]);
}

/** The same since a commit. */
export async function changedSince(root: string, commit: string): Promise<readonly string[] | undefined> {
  const differing = await git(root, ["diff", "--name-only", "--no-renames", commit, "--"]);
  const unknown = await git(root, ["ls-files", "--others", "--exclude-standard"]);
  return differing && unknown && [...differing, ...unknown];
}

/** The lines it prints; undefined: it failed, or is not installed. */
async function git(root: string, words: readonly string[]): Promise<readonly string[] | undefined> {
  try {
    const { success, stdout } = await new Deno.Command("git", { args: ["-C", root, ...words], stderr: "null" })
      .output();
    return success ? new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "") : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

if (import.meta.main) {
  const root = new URL("../../", import.meta.url).pathname;
  const tools: readonly string[] = Object.values(GROUPS).flat();
  const tried = Deno.args.includes("--commit")
    ? toolsChanged(await changedSince(root, "HEAD") ?? [], tools)
    : toolsToTry(await changedSinceTag(root), tools);
  const groups = Object.entries(GROUPS).filter(([, names]) => names.some((name) => tried.includes(name)));
  const tests = groups.map(([group]) => `tests/tools/${group}_test.ts`);
  // The list is never empty: without a file, deno would run all tests.
  Deno.stdout.writeSync(new TextEncoder().encode(["tests/tools_test.ts", ...tests].join(" ") + "\n"));
}
