/** Where caches lie for this user: those of scopes, and what the worker of a project derives from its files (K4). */
import { scopeCaches, workerCache } from "../../sandbox/directories/private_directories.ts";
import { removeUnusedCaches } from "../../sandbox/directories/scope_caches.ts";
import type { SessionSandbox } from "../../sandbox/settle_paths.ts";
import { homeOf } from "../../system/user_directories.ts";
import { removeTree } from "../../system/open_files/remove_tree.ts";
import { scopeName } from "../../sandbox/settle_paths.ts";
import { parentOf } from "../../system/paths.ts";

/** Undefined: there are none. `writable`: canonical trees that commands can write to; absent: no command runs. */
export function cachesOf(
  environment: Readonly<Record<string, string>>,
  writable: readonly string[] = [],
): string | undefined {
  return scopeCaches({ serverEnvironment: environment, home: homeOf(environment), writable });
}

/** Removes caches that no session used for 30 days. */
export async function removeOldCaches(
  environment: Readonly<Record<string, string>>,
  { writable }: Pick<SessionSandbox, "writable">,
): Promise<void> {
  const base = cachesOf(environment, writable);
  if (base !== undefined) await removeUnusedCaches(base, Date.now());
}

/** Directories unused for this long are removed, milliseconds: 30 days. */
const KEPT = 30 * 86_400_000;

/** A directory that commands cannot change; without one of the user that is safe, it ends with the session. */
export async function workerCacheOf(
  environment: Readonly<Record<string, string>>,
  { scopes, writable, directories }: Pick<SessionSandbox, "scopes" | "writable" | "directories">,
): Promise<string> {
  const question = { serverEnvironment: environment, home: homeOf(environment), writable };
  const kept = workerCache(question, scopeName(scopes));
  if (kept !== undefined) {
    await removeUnused(parentOf(kept), kept);
    return kept;
  }
  const directory = `${directories.root}/derived`;
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  return directory;
}

/** The time of the directory shows its last use, because files come and go in it. */
async function removeUnused(base: string, used: string): Promise<void> {
  const now = new Date();
  await Deno.utime(used, now, now);
  for await (const { name, isDirectory } of Deno.readDir(base)) {
    const { mtime } = await Deno.lstat(`${base}/${name}`);
    if (isDirectory && mtime !== null && now.getTime() - mtime.getTime() > KEPT) await removeTree(`${base}/${name}`);
  }
}
