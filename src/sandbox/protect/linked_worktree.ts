/**
 * A scope that is a linked worktree or a submodule: its `.git` leads to a repository that git must write (S15). Any
 * command could write such a file, so the repository itself must name its worktree.
 */
import { readTextIfRegular } from "../../system/reading/regular_file.ts";
import { gitValues } from "./git_hook_paths.ts";
import { absolutePath, isWithin, parentOf, realPath } from "../../system/paths.ts";

/** A longer file is ignored. */
const LARGEST_BYTES = 8192;
const LARGEST_CONFIGURATION = 1024 * 1024;

/** The repository of `tree` (canonical), which git must write to; undefined: it is in the tree, or none leads back. */
export function linkedRepository(tree: string): string | undefined {
  const [, led] = /^gitdir: (.+)/.exec(readTextIfRegular(`${tree}/.git`, LARGEST_BYTES) ?? "") ?? [];
  const own = led === undefined ? undefined : realPath(absolutePath(led.trimEnd(), tree));
  if (own === undefined) return undefined;
  return hasWorkTree(own, tree) ? own : repositoryOfWorktree(own, tree);
}

/** `own` is what a repository keeps for its worktree `tree`. */
function repositoryOfWorktree(own: string, tree: string): string | undefined {
  const back = lineOf(`${own}/gitdir`);
  const common = lineOf(`${own}/commondir`);
  if (back === undefined || common === undefined) return undefined;
  const repository = realPath(absolutePath(common, own));
  const isOurs = realPath(absolutePath(back, own)) === `${tree}/.git`;
  return isOurs && repository !== undefined && isWithin(parentOf(own), `${repository}/worktrees`)
    ? repository
    : undefined;
}

/** Whether the configuration of the repository `own` names `tree` as its work tree, as git has it for submodules. */
function hasWorkTree(own: string, tree: string): boolean {
  return ["config", "config.worktree"]
    .flatMap((name) => gitValues(readTextIfRegular(`${own}/${name}`, LARGEST_CONFIGURATION) ?? "", "worktree"))
    .some((path) => realPath(absolutePath(path, own)) === tree);
}

/** One sentence for each scope in which git cannot work; the repositories of others lie where commands can write. */
export function worktreeHints(scopes: readonly string[], writable: readonly string[]): readonly string[] {
  return scopes.flatMap((scope) => {
    const repository = linkedRepository(scope);
    if (repository === undefined || writable.some((tree) => isWithin(repository, tree))) return [];
    return [
      `The repository of "${scope}" is "${repository}", which lies outside the scope: git does not work in commands. ` +
      `Start the server with --write ${repository}`,
    ];
  });
}

function lineOf(path: string): string | undefined {
  return readTextIfRegular(path, LARGEST_BYTES)?.trimEnd();
}
