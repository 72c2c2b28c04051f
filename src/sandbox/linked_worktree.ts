/**
 * A scope that is a linked worktree: its `.git` is a file that leads to a repository elsewhere, where git has to write
 * for nearly everything (S15). Any command could write such a file, so only what the repository itself says is
 * believed: it keeps, for each of its worktrees, where that is.
 */
import { readTextIfRegular } from "../base/regular_file.ts";
import { absolutePath, isWithin, parentOf, realPath } from "./paths.ts";

/** A longer one leads nowhere. */
const LARGEST_BYTES = 8192;

/** The repository of the worktree `tree` (canonical), which git must write to; undefined: it is none, or not linked. */
export function linkedRepository(tree: string): string | undefined {
  const [, led] = /^gitdir: (.+)/.exec(readTextIfRegular(`${tree}/.git`, LARGEST_BYTES) ?? "") ?? [];
  const own = led === undefined ? undefined : realPath(absolutePath(led.trimEnd(), tree));
  if (own === undefined) return undefined;
  const back = lineOf(`${own}/gitdir`);
  const common = lineOf(`${own}/commondir`);
  if (back === undefined || common === undefined) return undefined;
  const repository = realPath(absolutePath(common, own));
  const isOurs = realPath(absolutePath(back, own)) === `${tree}/.git`;
  return isOurs && repository !== undefined && isWithin(parentOf(own), `${repository}/worktrees`)
    ? repository
    : undefined;
}

/** One sentence for each scope in which git cannot work; the repositories of others lie where commands can write. */
export function worktreeHints(scopes: readonly string[], writable: readonly string[]): readonly string[] {
  return scopes.flatMap((scope) => {
    const repository = linkedRepository(scope);
    if (repository === undefined || writable.some((tree) => isWithin(repository, tree))) return [];
    return [
      `"${scope}" is a worktree of "${repository}", which lies outside the scope: git does not work in commands. ` +
      `Start the server with --write ${repository}`,
    ];
  });
}

function lineOf(path: string): string | undefined {
  return readTextIfRegular(path, LARGEST_BYTES)?.trimEnd();
}
