/** Resolves paths safely: none may pass a directory that commands can write to. */
import { attempt } from "../base/errors.ts";

/** The kernel follows at most this many links in one path. */
export const MOST_LINKS = 40;

/** Whether `path` is `tree` or lies below it. Both canonical. */
export function isWithin(path: string, tree: string): boolean {
  return path === tree || path.startsWith(tree === "/" ? "/" : tree + "/");
}

/** The directory that holds `path`; `/` holds itself. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** `.` or `..` at the beginning, with the slashes after it. */
const FIRST_STEP = /^(\.{1,2})(?:\/+|$)/;

/** `path` relative to the canonical directory `base`. Leading `..` steps are resolved; the rest is kept as spelled. */
export function absolutePath(path: string, base: string): string {
  if (path.startsWith("/")) return path;
  let rest = path;
  let from = base;
  for (let step = FIRST_STEP.exec(rest); step !== null; step = FIRST_STEP.exec(rest)) {
    if (step[1] === "..") from = parentOf(from);
    rest = rest.slice(step[0].length);
  }
  return `${from}/${rest}`;
}

/** The absolute `path` without empty names, `.` and `..`; links are not followed. */
export function normalPath(path: string): string {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

/** The canonical path; undefined when it is missing or out of reach. */
export function realPath(path: string): string | undefined {
  return expected(() => Deno.realPathSync(path));
}

/** The real location of an absolute path that need not exist; existing links are followed. */
export function placeOf(path: string): string {
  const existing = existingPart(path);
  const real = realPath(existing) ?? existing;
  if (existing === path) return real;
  return `${real === "/" ? "" : real}${path.slice(existing === "/" ? 0 : existing.length)}`;
}

/** The longest existing part of a path, as spelled; `/` at least. `path` is absolute. */
export function existingPart(path: string): string {
  return path === "/" || realPath(path) !== undefined ? path : existingPart(parentOf(path));
}

/** The canonical path; undefined: missing, out of reach, or past `untrusted`, where links lead anywhere. */
export function trustedPath(
  path: string,
  untrusted: readonly string[],
  targetOf: ReadLink = linkTarget,
): string | undefined {
  return walk(path, targetOf, (place) => !untrusted.some((tree) => isWithin(place, tree)));
}

/** The canonical places of the links on an absolute path, as far as it exists. */
export function linksOnTheWay(path: string): readonly string[] {
  const found: string[] = [];
  walk(path, linkTarget, (place, target) => target === "" || found.push(place) > 0);
  return found;
}

/** The target with links followed; undefined: a missing name, too many links, or `isPassable` refuses. */
function walk(
  path: string,
  targetOf: ReadLink,
  isPassable: (place: string, target: string) => boolean,
): string | undefined {
  const rest = path.split("/");
  let current = "";
  let links = 0;
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      current = current.slice(0, Math.max(0, current.lastIndexOf("/")));
      continue;
    }
    const place = `${current}/${name}`;
    const target = targetOf(place);
    if (target === undefined || !isPassable(place, target)) return undefined;
    if (target === "") {
      current = place;
      continue;
    }
    if (++links > MOST_LINKS) return undefined;
    if (target.startsWith("/")) current = "";
    rest.unshift(...target.split("/"));
  }
  return current || "/";
}

/** The target of a link; empty: it is not a link. Undefined: nothing is there. */
export type ReadLink = (path: string) => string | undefined;

/** Memoizes `read` in `seen`, for many paths with a common prefix that are resolved together. */
export function memoizedLinks(seen = new Map<string, string | undefined>(), read: ReadLink = linkTarget): ReadLink {
  return (path) => {
    if (!seen.has(path)) seen.set(path, read(path));
    return seen.get(path);
  };
}

/** Directories that the runtime refuses to this program. */
const OF_KERNEL = /^\/(?:proc|dev|sys)(?:\/|$)/;

/** The same results without the runtime's error for each missing name, which takes ten times as long. */
export function linksSeenBy(lookAt: (path: string) => { readonly kind: string } | undefined): ReadLink {
  return (path) => {
    const kind = OF_KERNEL.test(path) ? "link" : lookAt(path)?.kind;
    return kind === "link" ? linkTarget(path) : kind && "";
  };
}

function linkTarget(path: string): string | undefined {
  return expected(() => Deno.lstatSync(path).isSymlink ? Deno.readLinkSync(path) : "");
}

/** Whether a file exists; links are followed. */
export function isFile(path: string): boolean {
  return attempt(Error, () => Deno.statSync(path).isFile) === true;
}

/** Whether a directory exists; links are followed. */
export function isDirectory(path: string): boolean {
  return attempt(Error, () => Deno.statSync(path).isDirectory) === true;
}

/** The result of `look`; undefined: it threw an expected file system error. Other errors are rethrown. */
export function expected<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch (error) {
    if (isExpected(error)) return undefined;
    throw error;
  }
}

/** Whether a path causes the error: missing, out of reach, read-only, no directory, a loop, too long, not text. */
export function isExpected(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied ||
    error instanceof Deno.errors.NotADirectory || error instanceof Deno.errors.FilesystemLoop ||
    error instanceof Deno.errors.InvalidData || // a name that is not valid text
    error instanceof Deno.errors.NotCapable || // /proc and /dev, which Deno keeps from most programs
    error instanceof Error && "code" in error && (error.code === "ENAMETOOLONG" || error.code === "EROFS");
}
