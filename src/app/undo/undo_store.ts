/** Where changes of a project are kept: in the user's state directory, where no command reaches (S39). */
import { messageOf, UserError } from "../../base/errors.ts";
import { unwrapOrUserError } from "../../base/outcome.ts";
import { listCaches, removeUnusedCaches, type ScopeCache, useCache } from "../../sandbox/directories/scope_caches.ts";
import { scopeName } from "../../sandbox/settle_paths.ts";
import type { SessionSandbox } from "../../sandbox/settle_paths.ts";
import { realPath } from "../../system/paths.ts";
import { stateDirectory } from "../../system/user_directories.ts";
import { isPrivate } from "../../system/replace/private_file.ts";

type Environment = Readonly<Record<string, string>>;

/** The directory of all stores; undefined: the user has no state directory. */
export function undoStores(environment: Environment): string | undefined {
  const state = stateDirectory(environment);
  return state === undefined ? undefined : `${state}/undo`;
}

/** @throws {UserError} When commands could reach the store, or this system has none. */
export function checkUndoStore(
  environment: Environment,
  isReadable: (path: string) => boolean,
  flag: "--undo" | "--preview",
): void {
  if (Deno.build.os !== "linux") throw new UserError(`Cannot use "${flag}": it needs Linux`);
  const stores = undoStores(environment);
  if (stores === undefined) {
    throw new UserError(`Cannot use "${flag}": neither XDG_STATE_HOME nor HOME names a directory for contents`);
  }
  if (isReadable(stores)) {
    throw new UserError(
      `Cannot use "${flag}": commands can reach "${stores}", where contents are kept. ` +
        "Choose another scope, --read or --write directory, or set XDG_STATE_HOME",
    );
  }
}

/** Stores of projects without a server for this long are removed, milliseconds: 7 days. */
const KEPT_MS = 7 * 86_400_000;

/** Removes what no server used for 7 days. */
export async function removeOldStores(environment: Environment): Promise<void> {
  const stores = undoStores(environment);
  if (stores !== undefined && realPath(stores) !== undefined) await removeUnusedCaches(stores, Date.now(), KEPT_MS);
}

/** Stores with their projects, as caches are listed. */
export async function listStores(environment: Environment): Promise<readonly ScopeCache[]> {
  const stores = undoStores(environment);
  return stores === undefined || realPath(stores) === undefined ? [] : await listCaches(stores);
}

/** Where the store of a project is. */
export function undoStorePath(environment: Environment, { scopes }: Pick<SessionSandbox, "scopes">): string {
  return `${undoStores(environment)}/${scopeName(scopes)}`;
}

/** The store of a project, made if missing. @throws {UserError} When it is not private to this user. */
export async function undoStore(
  environment: Environment,
  { scopes }: Pick<SessionSandbox, "scopes">,
  stack: AsyncDisposableStack,
): Promise<string> {
  const path = undoStorePath(environment, { scopes });
  try {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
    stack.use(unwrapOrUserError(useCache(path, scopes[0]?.path ?? "")));
    const found = await Deno.lstat(path);
    const real = realPath(path);
    if (found.isDirectory && isPrivate(found) && real !== undefined) return real;
  } catch (thrown) {
    throw new UserError(`Cannot make "${path}": ${messageOf(thrown)}`);
  }
  throw new UserError(`Cannot use "${path}": it must be a directory of yours with mode 0700`);
}
