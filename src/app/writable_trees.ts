/** Trees that commands can change: the program neither trusts nor writes its own files there. */
import { absolutePath, isWithin, placeOf, realPath } from "../system/paths.ts";
import { scopeDirectory } from "../sandbox/grants/resolve_scopes.ts";
import { homeOf } from "../system/user_directories.ts";
import type { SandboxChoice } from "../sandbox/policy/sandbox_settings.ts";

/** Canonical trees that commands can write with these settings, for what is opened before the sandbox. */
export function openTrees(
  { scopes, writes }: Pick<SandboxChoice, "scopes" | "writes">,
  environment: Readonly<Record<string, string>>,
): readonly string[] {
  const cwd = Deno.cwd();
  // A working directory that is home, or contains it, is not a scope unless a flag says so (S1).
  const named = homeOf(environment);
  const home = named === undefined ? undefined : realPath(named);
  const byDefault = home !== undefined && isWithin(home, cwd) ? [] : [cwd];
  return [
    ...(scopes.length > 0 ? scopes : byDefault).map((scope) => scopeDirectory(scope, cwd)),
    ...writes.map((tree) => realPath(absolutePath(tree, cwd))),
  ].filter((tree) => tree !== undefined);
}

/** Whether commands can read a path: it lies in a tree that they can write to, or that `--read` names. */
export function isReadable(
  path: string,
  { settings: { sandbox }, environment }: {
    readonly settings: { readonly sandbox: Pick<SandboxChoice, "scopes" | "writes" | "reads"> };
    readonly environment: Readonly<Record<string, string>>;
  },
): boolean {
  const reads = sandbox.reads.flatMap((tree) => realPath(absolutePath(tree, Deno.cwd())) ?? []);
  return isInOpenTree(path, [...openTrees(sandbox, environment), ...reads]);
}

/** Whether a path, or where it leads as far as it exists, lies in one of these trees. */
export function isInOpenTree(path: string, trees: readonly string[]): boolean {
  const place = placeOf(path);
  return trees.some((tree) => isWithin(place, tree) || isWithin(path, tree));
}
