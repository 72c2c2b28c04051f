/** Refuses changes of protected paths (S8), also where the kernel protects none: newer ones, and without namespaces. */
import { type Denial, denialSentence, DENIED_META_KEY } from "../../base/command/denial.ts";
import { UserError } from "../../base/errors.ts";
import type { Protection, WorkerSetup } from "../frame/messages.ts";
import { isWithin, realPath } from "../../system/paths.ts";
import type { Place } from "../../system/tree/tree.ts";

type ProtectedPlace = Protection["paths"][number];

/** Files that git obeys, in a repository at any depth. */
const OBEYED_BY_GIT = /\/\.git\/(?:.*\/)?(?:hooks|config|config\.worktree|commondir)(?:\/|$)|\/\.git$/;

/** An error for a refused change, worded like other denials (S15). */
export class DeniedError extends UserError {
  override readonly name = "DeniedError";
  /** `_meta` of the result. */
  readonly meta: Readonly<Record<string, unknown>>;

  /** `what` is the sentence before the denial, without a full stop. */
  constructor(what: string, denial: Denial) {
    super(`${what}.\nSandbox: ${denialSentence(denial)}`);
    this.meta = { [DENIED_META_KEY]: [denial] };
  }
}

/** @throws {DeniedError} When the place is protected. */
export function insistOnUnprotected(place: Place, setup: WorkerSetup): void {
  const flags = protectionAt(place.path, setup);
  if (flags !== undefined) throw deniedChange(place, setup, flags);
}

/** The flags that would allow changes of a protected path; undefined: it is not protected. */
export function protectionAt(path: string, { protection }: WorkerSetup): readonly string[] | undefined {
  if (protection === undefined) return undefined;
  const found = protection.paths.find((one) => {
    return covers(one.path, one, path) || covers(realPath(one.path) ?? one.path, one, path);
  });
  if (found !== undefined) return found.flags;
  return OBEYED_BY_GIT.test(path) && !protection.open.some((one) => isWithin(path, one)) ? [] : undefined;
}

/** The error for a place that may not be changed; `flags` would allow it. */
export function deniedChange(
  { path, shown }: Pick<Place, "path" | "shown">,
  { scopes: scope }: Pick<WorkerSetup, "scopes">,
  flags: readonly string[] = [],
): DeniedError {
  return new DeniedError(`Cannot change "${shown}"`, { path, access: ["write"], protected: true, scope, flags });
}

/** A protected directory covers its contents, except paths that stay writable; a protected file covers only itself. */
function covers(protectedPath: string, { fileOnly, writable = [] }: ProtectedPlace, path: string): boolean {
  if (fileOnly) return path === protectedPath;
  return isWithin(path, protectedPath) &&
    !writable.some((name) => path !== `${protectedPath}/${name}` && isWithin(path, `${protectedPath}/${name}`));
}
