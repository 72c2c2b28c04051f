/** Where the caches of scopes lie for this user. */
import { scopeCaches } from "../../sandbox/directories/private_directories.ts";
import { removeUnusedCaches } from "../../sandbox/directories/scope_caches.ts";
import type { SessionSandbox } from "../../sandbox/settle_paths.ts";
import { homeOf } from "../../system/user_directories.ts";

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
