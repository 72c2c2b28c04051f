/**
 * Caches of scopes between sessions (S25): which there are, which of them a server uses, and their end. Next to each lies
 * a record, a file that commands cannot write: it names the scope, its time is that of the last use, and each server that
 * uses the cache holds a lock on it.
 */
import { attempt } from "../../base/errors.ts";
import { freeLock } from "../../system/free_lock.ts";
import { isExpected } from "../../system/paths.ts";
import { removeTree } from "../../system/open_files/remove_tree.ts";

/** A cache that was not used for so long is removed, milliseconds: 30 days. */
const KEPT_MS = 30 * 86_400_000;
const RECORD = ".scope";
/** A cache on its way out; what a killed server left of it goes with the next. */
const REMOVED = ".removed-";
const SHARED = false;
const EXCLUSIVE = true;

/** A cache, as its record tells. */
export interface ScopeCache {
  readonly path: string;
  /** Undefined: there is no record of it. */
  readonly scope: string | undefined;
  readonly usedAt: Date;
  readonly isUsed: boolean;
}

/** Records that `scope` uses the cache until the result is disposed of; undefined: the record cannot be written. */
export function useCache(cache: string, scope: string): Disposable | undefined {
  return attempt(Error, () => {
    const record = lockedRecord(`${cache}${RECORD}`);
    try {
      // It may have been removed until a moment ago.
      attempt(Deno.errors.AlreadyExists, () => Deno.mkdirSync(cache, { mode: 0o700 }));
      record.truncateSync();
      record.writeSync(new TextEncoder().encode(scope));
      return { [Symbol.dispose]: () => freeLock(record) };
    } catch (thrown) {
      freeLock(record);
      throw thrown;
    }
  });
}

/** The record, locked for a user. It waits for a server that looks or removes: none does anything else meanwhile. */
function lockedRecord(path: string): Deno.FsFile {
  for (;;) {
    const record = openRecord(path);
    try {
      record.lockSync(SHARED);
      if (isAt(path, record)) return record;
    } catch (thrown) {
      record.close();
      throw thrown;
    }
    freeLock(record);
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
  const caches: ScopeCache[] = [];
  for await (const { name, isDirectory } of Deno.readDir(base)) {
    if (isDirectory && !name.startsWith(REMOVED)) caches.push(await cacheAt(`${base}/${name}`));
  }
  return caches.toSorted((one, other) => other.usedAt.getTime() - one.usedAt.getTime());
}

/** Removes the cache; false: a server uses it. @throws {Error} When something in it cannot be removed. */
export async function removeCache({ path }: Pick<ScopeCache, "path">): Promise<boolean> {
  const removed = `${path.slice(0, path.lastIndexOf("/") + 1)}${REMOVED}${crypto.randomUUID()}`;
  if (!moveUnused(path, removed)) return false;
  await removeTree(removed);
  return true;
}

/**
 * Moves the cache and ends its record, unless a server uses it. Nothing is awaited under the lock: a session of this
 * process may wait for it.
 */
function moveUnused(path: string, removed: string): boolean {
  const record = openRecord(`${path}${RECORD}`);
  try {
    if (!record.tryLockSync(EXCLUSIVE) || !isAt(`${path}${RECORD}`, record)) return false;
    // A process that outlived its server may still write to the cache: what is removed lies where it cannot.
    Deno.mkdirSync(removed, { mode: 0o700 });
    Deno.renameSync(path, `${removed}/cache`);
    Deno.removeSync(`${path}${RECORD}`);
  } finally {
    freeLock(record);
  }
  return true;
}

/** Removes caches that were not used for 30 days. */
export async function removeUnusedCaches(base: string, now: number): Promise<void> {
  for await (const { name } of Deno.readDir(base)) if (name.startsWith(REMOVED)) await removeTree(`${base}/${name}`);
  for (const cache of await listCaches(base)) if (now - cache.usedAt.getTime() > KEPT_MS) await removeCache(cache);
}

/** Bytes of all files below a directory, links not followed; what goes meanwhile, or is closed, counts nothing. */
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
  if (record === undefined) {
    return { path, scope: undefined, usedAt: (await Deno.lstat(path)).mtime ?? new Date(0), isUsed: false };
  }
  try {
    const { mtime } = await record.stat();
    const isUsed = !record.tryLockSync(EXCLUSIVE);
    record.unlockSync(); // before anything is awaited, as in moveUnused()
    const scope = await new Response(record.readable).text();
    return { path, scope, usedAt: mtime ?? new Date(0), isUsed };
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
