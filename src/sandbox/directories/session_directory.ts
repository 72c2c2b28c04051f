/**
 * A session's private directories (S5): `tmp` for commands, `files` that only the server writes. The system releases
 * the lock on `owner` however the server ends; it holds across PID namespaces.
 */
import type { SandboxSettings } from "../policy/sandbox_settings.ts";
import { withLibc } from "../../system/libc.ts";
import { TreeMaker } from "../../system/open_files/tree_maker.ts";
import { removeTree } from "../../system/open_files/remove_tree.ts";
import { removeFromMemory, removeOrphans } from "./place_in_memory.ts";
import { freeLock } from "../../system/replace/file_lock.ts";

/** What is left of a session that was killed is removed by a later one. */
const PREFIX = "ahma_mcp-";
/** While it is being made it has another name, so that no other server thinks it has no owner. */
const UNFINISHED_PREFIX = ".ahma_mcp-";
const OWNER_FILE = "owner";

export interface SessionDirectories {
  readonly root: string;
  /** Undefined with `--no-temp-files`. */
  readonly temporary: string | undefined;
  readonly files: string;
  /** Locked as long as the session lives. */
  readonly owner: Deno.FsFile;
  /** Marks the scope's cache as used until it is disposed. Absent: the cache is removed with the session. */
  readonly cacheUse?: Disposable;
}

/** Makes them in `base`, an existing canonical directory. */
export function createSessionDirectories(
  base: string,
  { temporaryFiles }: Pick<SandboxSettings, "temporaryFiles">,
): SessionDirectories {
  const unfinished = Deno.makeTempDirSync({ dir: base, prefix: UNFINISHED_PREFIX });
  try {
    return finish(unfinished, base, temporaryFiles);
  } catch (thrown) {
    Deno.removeSync(unfinished, { recursive: true }); // nothing else would: it does not have its final name yet
    throw thrown;
  }
}

function finish(unfinished: string, base: string, temporaryFiles: boolean): SessionDirectories {
  const owner = Deno.openSync(`${unfinished}/${OWNER_FILE}`, { write: true, createNew: true, mode: 0o600 });
  // A program that may read the base could hold the lock by now: a start does not wait for it.
  if (!owner.tryLockSync(EXCLUSIVE)) throw new Deno.errors.PermissionDenied(`Another program holds "${unfinished}"`);
  Deno.mkdirSync(`${unfinished}/files`, { mode: 0o700 });
  if (temporaryFiles) Deno.mkdirSync(`${unfinished}/tmp`, { mode: 0o700 });
  const root = `${base}/${PREFIX}${
    unfinished.slice(unfinished.lastIndexOf(UNFINISHED_PREFIX) + UNFINISHED_PREFIX.length)
  }`;
  Deno.renameSync(unfinished, root);
  return { root, temporary: temporaryFiles ? `${root}/tmp` : undefined, files: `${root}/files`, owner };
}

const EXCLUSIVE = true;

/** An empty directory and an empty file that cover what commands may not see. */
export interface Covers {
  readonly directory: string;
  readonly file: string;
}

/** Where they are, when they are made. */
export function coversIn({ root }: Pick<SessionDirectories, "root">): Covers {
  return { directory: `${root}/empty`, file: `${root}/nothing` };
}

/** Makes those that are missing. @throws {Error} When the disk is full. */
export function makeCovers({ directory, file }: Covers, make: Pick<TreeMaker, "names" | "directory" | "file">): void {
  if (make.names(directory) === undefined) make.directory(directory, 0o555);
  make.file(file);
}

/** A cache that is removed with the session, if none is kept between sessions. */
export function createSessionCache({ root }: Pick<SessionDirectories, "root">): string {
  const cache = `${root}/cache`;
  Deno.mkdirSync(cache, { mode: 0o700 });
  return cache;
}

/**
 * Removes a session's directories, the owner mark last, so that a later server removes the rest. @throws {Error} When
 * something stays.
 */
export async function removeSessionDirectories({ root, owner, cacheUse }: SessionDirectories): Promise<void> {
  try {
    await removeAll(root);
  } finally {
    cacheUse?.[Symbol.dispose]();
    freeLock(owner);
  }
}

async function removeAll(root: string): Promise<void> {
  withMaker((make) => removeFromMemory(root, make));
  await removeTree(root, OWNER_FILE);
}

/** On Linux, where there are places in memory. */
function withMaker(use: (make: TreeMaker) => void): void {
  if (Deno.build.os !== "linux") return;
  const make = new TreeMaker();
  try {
    use(make);
  } finally {
    make[Symbol.dispose]();
  }
}

/** What `removeStaleSessions` did. */
export interface StaleSessions {
  readonly removed: number;
  /** One sentence for each that could not be removed. */
  readonly problems: readonly string[];
}

/** Removes directories of this user's sessions in `base` whose server is gone. */
export async function removeStaleSessions(base: string): Promise<StaleSessions> {
  let removed = 0;
  const problems: string[] = [];
  withMaker((make) => withLibc((libc) => removeOrphans(make, libc, BigInt(Date.now()) * 1_000_000n)));
  for await (const entry of Deno.readDir(base)) {
    if (!entry.isDirectory || !entry.name.startsWith(PREFIX)) continue;
    try {
      if (await removeIfStale(`${base}/${entry.name}`)) removed++;
    } catch (error) {
      // Another server is removing it, or it contains files that even its owner cannot remove.
      if (!(error instanceof Error)) throw error;
      if (!(error instanceof Deno.errors.NotFound)) problems.push(`Cannot remove "${entry.name}": ${error.message}`);
    }
  }
  return { removed, problems };
}

async function removeIfStale(root: string): Promise<boolean> {
  const path = `${root}/${OWNER_FILE}`;
  const [directory, file] = await Promise.all([Deno.lstat(root), Deno.lstat(path)]);
  const uid = Deno.uid();
  // Files that others made under our name are ignored: opening one could hang forever.
  if (directory.uid !== uid || file.uid !== uid || !file.isFile || !directory.isDirectory) return false;
  const owner = await Deno.open(path, { read: true, write: true });
  try {
    if (!await owner.tryLock(EXCLUSIVE)) return false;
    await removeAll(root);
    return true;
  } finally {
    freeLock(owner);
  }
}
