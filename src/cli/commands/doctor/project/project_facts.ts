/** Facts about a scope that the checks of its project need, as the file system has them now. */
import type { SessionSandbox } from "../../../../sandbox/settle_paths.ts";
import { gitValues } from "../../../../sandbox/protect/git_hook_paths.ts";
import { linkedRepository } from "../../../../sandbox/protect/linked_worktree.ts";
import { readTextIfRegular } from "../../../../system/reading/regular_file.ts";
import { expected, isWithin, parentOf, realPath } from "../../../../system/paths.ts";
import type { GitFacts, ProjectFacts } from "./policy_checks.ts";

const LARGEST_CONFIGURATION = 1024 * 1024;

/** What is at a path, links followed; undefined: nothing. */
export function lookAt(path: string): ReturnType<ProjectFacts["look"]> {
  const real = realPath(path);
  const facts = real === undefined ? undefined : expected(() => Deno.statSync(real));
  return real === undefined || facts === undefined ? undefined : { path: real, isDirectory: facts.isDirectory };
}

/** Where the repository of a canonical scope is. */
export function gitFacts(scope: string): GitFacts {
  const isOwn = expected(() => Deno.lstatSync(`${scope}/.git`))?.isDirectory === true;
  const hooks = expected(() => [...Deno.readDirSync(`${scope}/.git/hooks`)]) ?? [];
  const configuration = readTextIfRegular(`${scope}/.git/config`, LARGEST_CONFIGURATION) ?? "";
  return {
    isOwn,
    linked: linkedRepository(scope),
    above: repositoryAbove(parentOf(scope)),
    hasHooks: hooks.some(({ name }) => !name.endsWith(".sample")) || gitValues(configuration, "hookspath").length > 0,
  };
}

function repositoryAbove(directory: string): string | undefined {
  if (expected(() => Deno.lstatSync(`${directory}/.git`)) !== undefined) return directory;
  return directory === "/" ? undefined : repositoryAbove(parentOf(directory));
}

/** What the session protects. */
export function protection({ guard }: Pick<SessionSandbox, "guard">): ProjectFacts["isProtected"] {
  return (path) => guard?.protected.some((one) => !one.fileOnly && isWithin(path, one.path)) === true;
}
