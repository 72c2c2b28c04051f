/**
 * Keeps calls from protected paths (S8) as a second line: the kernel knows those only that were there when the worker
 * began, and without namespaces none.
 */
import type { WorkerSetup } from "../frame/messages.ts";
import { isWithin, realPath } from "../../system/paths.ts";
import { DeniedError } from "./denied_error.ts";
import type { Place } from "./place.ts";

/** What git obeys, in a repository at any depth. */
const OBEYED_BY_GIT = /\/\.git\/(?:.*\/)?(?:hooks|config|config\.worktree|commondir)(?:\/|$)|\/\.git$/;

/** @throws {DeniedError} When the place is protected. */
export function insistOnUnprotected(place: Place, setup: WorkerSetup): void {
  const { protection } = setup;
  if (protection === undefined) return;
  const { path } = place;
  const found = protection.paths.find((one) => {
    return covers(one.path, one.fileOnly, path) || covers(realPath(one.path) ?? one.path, one.fileOnly, path);
  });
  if (found !== undefined) throw deniedChange(place, setup, found.flags);
  if (OBEYED_BY_GIT.test(path) && !protection.open.some((one) => isWithin(path, one))) {
    throw deniedChange(place, setup);
  }
}

/** That a place may not be changed; `flags` would allow it. */
export function deniedChange(
  { path, shown }: Pick<Place, "path" | "shown">,
  { scopes: scope }: Pick<WorkerSetup, "scopes">,
  flags: readonly string[] = [],
): DeniedError {
  return new DeniedError(`Cannot change "${shown}"`, { path, access: ["write"], protected: true, scope, flags });
}

/** A protected directory covers what is in it; where a file alone is meant, only its own place. */
function covers(protectedPath: string, fileOnly: boolean, path: string): boolean {
  return fileOnly ? path === protectedPath : isWithin(path, protectedPath);
}
