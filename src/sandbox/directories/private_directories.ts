/** Where the server keeps its files: no command may rename, link or replace a part of the way there. */
import { attempt } from "../../base/errors.ts";
import type { SandboxSettings } from "../policy/sandbox_settings.ts";
import { absolutePath, expected, parentOf, realPath, trustedPath } from "../../system/paths.ts";

/** Directories the server asks for, in this order; only those that exist count. */
export interface PlaceQuestion extends Pick<SandboxSettings, "serverEnvironment" | "home"> {
  /** Canonical trees commands can write to. */
  readonly writable: readonly string[];
}

/** Places for session directories in their order, canonical; empty: every usual one is missing or open to commands. */
export function* sessionBases({ serverEnvironment: environment, home, writable }: PlaceQuestion): Iterable<string> {
  for (const path of [environment["TMPDIR"], "/tmp", "/var/tmp", environment["XDG_RUNTIME_DIR"], home]) {
    const place = path?.startsWith("/") === true ? trustedPath(path, writable) : undefined;
    if (place !== undefined) yield place;
  }
}

/**
 * The cache of one scope, made where it is missing: kept between sessions, private to the scope, so that no project
 * poisons another's. Undefined if no directory with safe ownership can be made: the session's own is used then.
 */
export function scopeCache(question: PlaceQuestion, name: string): string | undefined {
  return ownCache(question, ["scopes", name]);
}

/** The same for data that workers derive from a scope, such as an index, which its commands cannot change. */
export function workerCache(question: PlaceQuestion, name: string): string | undefined {
  return ownCache(question, ["workers", name]);
}

/** The directory of all caches of scopes; undefined: there is none with safe ownership. */
export function scopeCaches(question: PlaceQuestion): string | undefined {
  const wanted = cacheHome(question);
  const base = wanted === undefined ? undefined : trustedPath(`${wanted}/ahma_mcp/scopes`, question.writable);
  return base !== undefined && isOwnDirectory(base) ? base : undefined;
}

function cacheHome({ serverEnvironment: environment, home }: PlaceQuestion): string | undefined {
  const wanted = environment["XDG_CACHE_HOME"] ?? (home === undefined ? undefined : absolutePath(".cache", home));
  return wanted?.startsWith("/") === true ? wanted : undefined;
}

function ownCache(question: PlaceQuestion, parts: readonly string[]): string | undefined {
  const { writable } = question;
  const wanted = cacheHome(question);
  if (wanted === undefined) return undefined;
  // The user's cache directory may be missing in a new account; what lies above it is not made.
  const find = () => trustedPath(wanted, writable);
  const base = find() ??
    (trustedPath(parentOf(wanted), writable) !== undefined && makeDirectory(wanted) ? find() : undefined);
  if (base === undefined) return undefined;
  let path = base;
  for (const part of ["ahma_mcp", ...parts]) {
    path = `${path}/${part}`;
    if (!makeDirectory(path) || !isOwnDirectory(path)) return undefined;
  }
  return path;
}

function makeDirectory(path: string): boolean {
  return expected(() => {
    attempt(Deno.errors.AlreadyExists, () => Deno.mkdirSync(path, { mode: 0o700 }));
    return true;
  }) ?? false;
}

/** A real directory of the server, writable by no other user: not a link in its place. */
function isOwnDirectory(path: string): boolean {
  const found = expected(() => Deno.lstatSync(path));
  return found?.isDirectory === true && found.uid === Deno.uid() && ((found.mode ?? 0) & 0o022) === 0 &&
    realPath(parentOf(path)) === parentOf(path);
}
