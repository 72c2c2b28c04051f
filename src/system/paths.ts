/** Resolves paths safely: what is resolved once, at the start, may not pass through a directory that commands can write to. */
import { attempt } from "../base/errors.ts";

/** The kernel follows no more links for one path. */
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

/** `path` seen from the canonical directory `base`; steps up at its beginning are taken, the rest is as spelled. */
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

/** Without empty names, `.` and `..`, which is taken as spelled. `path` is absolute. */
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

/** The real location of a path, existing or not: existing links on the way are followed. `path` is absolute. */
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

/**
 * The canonical path, unless a name on the way or a link's target lies in one of `untrusted`: a command that ran
 * before could have put a link there that leads anywhere. Undefined then, and when it is missing or out of reach.
 */
export function trustedPath(
  path: string,
  untrusted: readonly string[],
  targetOf: ReadLink = linkTarget,
): string | undefined {
  return walk(path, targetOf, (place) => !untrusted.some((tree) => isWithin(place, tree)));
}

/** The links that are followed on the way to `path`, which is absolute, each by its canonical place, as far as there is anything. */
export function linksOnTheWay(path: string): readonly string[] {
  const found: string[] = [];
  walk(path, linkTarget, (place, target) => target === "" || found.push(place) > 0);
  return found;
}

/**
 * Where `path` leads, links followed as the kernel does; undefined where something is missing, there are too many links,
 * or `isPassable` says no of a place on the way.
 */
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

/** Where a link leads; empty for what is not a link; undefined when there is nothing. */
export type ReadLink = (path: string) => string | undefined;

/** Memoizes `read` in `seen`, for many paths with a common beginning at one moment. */
export function memoizedLinks(seen = new Map<string, string | undefined>(), read: ReadLink = linkTarget): ReadLink {
  return (path) => {
    if (!seen.has(path)) seen.set(path, read(path));
    return seen.get(path);
  };
}

/** What the runtime keeps from this program. */
const OF_KERNEL = /^\/(?:proc|dev|sys)(?:\/|$)/;

/** The same answers without an error of the runtime for each name that is missing, which takes ten times as long. */
export function linksSeenBy(lookAt: (path: string) => { readonly kind: string } | undefined): ReadLink {
  return (path) => {
    const kind = OF_KERNEL.test(path) ? "link" : lookAt(path)?.kind;
    return kind === "link" ? linkTarget(path) : kind && "";
  };
}

function linkTarget(path: string): string | undefined {
  return expected(() => Deno.lstatSync(path).isSymlink ? Deno.readLinkSync(path) : "");
}

/** Whether a file is there, also behind links. */
export function isFile(path: string): boolean {
  return attempt(Error, () => Deno.statSync(path).isFile) === true;
}

/** Whether a directory is there, also behind links. */
export function isDirectory(path: string): boolean {
  return attempt(Error, () => Deno.statSync(path).isDirectory) === true;
}

/** The value of `look`; undefined for an expected error of the file system. Any other error is thrown. */
export function expected<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch (error) {
    if (isExpected(error)) return undefined;
    throw error;
  }
}

/** Errors that paths cause: missing, out of reach, read-only, no directory, a loop of links, a name too long or no text. */
export function isExpected(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied ||
    error instanceof Deno.errors.NotADirectory || error instanceof Deno.errors.FilesystemLoop ||
    error instanceof Deno.errors.InvalidData || // a name that is not valid text
    error instanceof Deno.errors.NotCapable || // /proc and /dev, which Deno keeps from most programs
    error instanceof Error && "code" in error && (error.code === "ENAMETOOLONG" || error.code === "EROFS");
}
