/**
 * Caches of scopes between sessions (S25). A record next to each, which no command can write, names the scope, has the
 * time of the last use, and is locked by each server that uses it.
 */
import { attempt } from "../../base/errors.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { isExpected } from "../../system/paths.ts";
import { removeTree } from "../../system/open_files/remove_tree.ts";
import { freeLock } from "../../system/replace/file_lock.ts";

/** A cache unused for this long is removed, milliseconds: 30 days. */
const KEPT_MS = 30 * 86_400_000;
/** An empty one is of no use; each session with a scope of its own, such as that of scripts, leaves one: a day. */
const EMPTY_KEPT_MS = 86_400_000;
const RECORD = ".scope";
/** A cache that is being removed; remains after a killed server are removed with the next one. */
const REMOVED = ".removed-";
const SHARED = false;
const EXCLUSIVE = true;

/** A cache, according to its record. */
export interface ScopeCache {
  readonly path: string;
  readonly scope: string | undefined;
  readonly usedAt: Date;
  readonly isUsed: boolean;
}

/** Records that `scope` uses the cache, until disposed of, without waiting for a lock that a command may hold. */
export function useCache(cache: string, scope: string): Outcome<Disposable> {
  try {
    return recorded(cache, scope);
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return failure(thrown.message);
  }
}

function recorded(cache: string, scope: string): Outcome<Disposable> {
  const path = `${cache}${RECORD}`;
  const record = openRecord(path);
  const use = { [Symbol.dispose]: () => freeLock(record) };
  try {
    if (!record.tryLockSync(SHARED)) {
      record.close();
      return failure(`another program holds a lock on "${path}"`);
    }
    // It may have been removed until a moment ago.
    if (!isAt(path, record)) {
      freeLock(record);
      return recorded(cache, scope);
    }
    attempt(Deno.errors.AlreadyExists, () => Deno.mkdirSync(cache, { mode: 0o700 }));
    record.truncateSync();
    record.writeSync(new TextEncoder().encode(scope));
    return success(use);
  } catch (thrown) {
    record.close();
    throw thrown;
  }
}

function openRecord(path: string): Deno.FsFile {
  return Deno.openSync(path, { create: true, read: true, write: true, mode: 0o600 });
}

/** False: the file was removed after it had been opened. */
function isAt(path: string, record: Deno.FsFile): boolean {
  const found = attempt(Deno.errors.NotFound, () => Deno.lstatSync(path));
  const opened = record.statSync();
  return found !== undefined && found.ino === opened.ino && found.dev === opened.dev;
}

/** The caches in a directory of them, the last used first. */
export async function listCaches(base: string): Promise<readonly ScopeCache[]> {
  const caches = await Promise.all((await cachePaths(base)).map((path) => cacheAt(path)));
  return caches.toSorted((one, other) => other.usedAt.getTime() - one.usedAt.getTime());
}

async function cachePaths(base: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(base));
  return entries.filter(({ name, isDirectory }) => isDirectory && !name.startsWith(REMOVED))
    .map(({ name }) => `${base}/${name}`);
}

/** The time of the record; without one, of the cache. */
async function lastUse(path: string): Promise<Date> {
  const record = await Deno.lstat(`${path}${RECORD}`).catch(nothingThere);
  return (record ?? await Deno.lstat(path)).mtime ?? new Date(0);
}

/** Removes the cache; false: a server uses it. @throws {Error} When something in it cannot be removed. */
export async function removeCache({ path }: Pick<ScopeCache, "path">): Promise<boolean> {
  const removed = `${path.slice(0, path.lastIndexOf("/") + 1)}${REMOVED}${crypto.randomUUID()}`;
  if (!moveUnused(path, removed)) return false;
  await removeTree(removed);
  return true;
}

/** Moves an unused cache and ends its record, at once: a session of this process may wait for the lock. */
function moveUnused(path: string, removed: string): boolean {
  const record = openRecord(`${path}${RECORD}`);
  try {
    if (!record.tryLockSync(EXCLUSIVE) || !isAt(`${path}${RECORD}`, record)) return false;
    // A process that outlived its server may still write to the cache, but not where it is moved to before its removal.
    Deno.mkdirSync(removed, { mode: 0o700 });
    Deno.renameSync(path, `${removed}/cache`);
    Deno.removeSync(`${path}${RECORD}`);
  } finally {
    freeLock(record);
  }
  return true;
}

/** Removes caches that were not used for so long, milliseconds; absent: 30 days. Empty ones go after a day. */
export async function removeUnusedCaches(base: string, now: number, keptMs = KEPT_MS): Promise<void> {
  for await (const { name } of Deno.readDir(base)) if (name.startsWith(REMOVED)) await removeTree(`${base}/${name}`);
  for (const path of await cachePaths(base)) {
    // No lock is tried on any other: its server may be starting.
    const age = now - (await lastUse(path)).getTime();
    if (age > keptMs || age > EMPTY_KEPT_MS && await isEmpty(path)) await removeCache({ path });
  }
}

async function isEmpty(directory: string): Promise<boolean> {
  const entries = await Array.fromAsync(Deno.readDir(directory)).catch(outOfReach);
  return entries?.length === 0;
}

/** Bytes of all files below a directory, links not followed; files that disappear or cannot be opened do not count. */
export async function sizeOf(directory: string): Promise<number> {
  let bytes = 0;
  for (const pending = [directory]; pending.length > 0;) {
    const at = pending.pop() ?? directory;
    const entries = await Array.fromAsync(Deno.readDir(at)).catch(outOfReach);
    for (const { name, isDirectory } of entries ?? []) {
      if (isDirectory) pending.push(`${at}/${name}`);
      else bytes += (await Deno.lstat(`${at}/${name}`).catch(outOfReach))?.size ?? 0;
    }
  }
  return bytes;
}

async function cacheAt(path: string): Promise<ScopeCache> {
  const record = await Deno.open(`${path}${RECORD}`, { read: true }).catch(nothingThere);
  const usedAt = await lastUse(path);
  if (record === undefined) return { path, scope: undefined, usedAt, isUsed: false };
  try {
    const isUsed = !record.tryLockSync(EXCLUSIVE);
    record.unlockSync(); // before anything is awaited, as in moveUnused()
    const scope = await new Response(record.readable).text();
    return { path, scope, usedAt, isUsed };
  } finally {
    attempt(Error, () => record.close()); // a stream that was read to its end has closed it
  }
}

function outOfReach(thrown: unknown): undefined {
  if (!isExpected(thrown)) throw thrown;
}

function nothingThere(thrown: unknown): undefined {
  if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
  return undefined;
}
