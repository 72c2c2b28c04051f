/**
 * A file that a call changes, opened through no link. Its lock is held from the reading of its content to its disposal,
 * so several servers change it in turn.
 */
import { UserError } from "../../base/errors.ts";
import { aborted, withTimeout } from "../../base/time.ts";
import { isSameFile, type OpenFiles, type Stat } from "../../system/open_files/file_calls.ts";
import { expected, parentOf } from "../../system/paths.ts";
import {
  type CurrentFile,
  LeftDrafts,
  removeFile,
  type StoredFile,
  storeFile,
} from "../../system/replace/store_file.ts";
import type { Place } from "../../system/tree/tree.ts";
import type { WorkerSetup } from "../frame/messages.ts";
import type { Project } from "../project/project.ts";
import { deniedChange, insistOnUnprotected } from "../project/protection.ts";
import {
  AT_FDCWD,
  EACCES,
  EBUSY,
  EDQUOT,
  EEXIST,
  ELOOP,
  ENOENT,
  ENOSPC,
  ENOTDIR,
  EPERM,
  EROFS,
  EXDEV,
} from "../../system/syscalls.ts";

/** The current state of a file; it may be missing. */
export interface Target extends Disposable {
  readonly project: Project;
  readonly place: Place;
  readonly files: OpenFiles;
  /** Descriptor of its directory; undefined: that is missing too. */
  readonly directory: number | undefined;
  readonly name: string;
  readonly current: CurrentFile | undefined;
}

/** Another program holds the lock so long at most, milliseconds. */
const LONGEST_LOCK_MS = 10_000;
/** A file that others keep replacing is opened again so often. */
const MOST_TRIES = 1000;
/** A larger file is not changed here. */
const LARGEST_BYTES = 32 * 1024 * 1024;

/** Opens what the path leads to. @throws {UserError} When it may not be changed, or is not a changeable file. */
export async function openTarget(project: Project, path: string, signal: AbortSignal): Promise<Target> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    signal.throwIfAborted();
    const place = await project.resolve(path, "write");
    if (place.path === place.root) throw directoryProblem(place);
    insistOnUnprotected(place, project.setup);
    using opened = new DisposableStack();
    const target = await tryOpen(project, { place, files: opened.use(project.begin()), signal });
    if (target === undefined) continue;
    opened.move();
    return target;
  }
  throw new UserError(`Cannot change "${path}": other programs keep replacing it`);
}

interface Opening {
  readonly place: Place;
  readonly files: OpenFiles;
  readonly signal: AbortSignal;
}

/** Undefined: it has just changed, so its path must be followed again. */
async function tryOpen(project: Project, { place, files, signal }: Opening): Promise<Target | undefined> {
  const name = place.path.slice(parentOf(place.path).length).replace("/", "");
  const target = (directory: number | undefined, current: CurrentFile | undefined): Target => {
    return { project, place, files, directory, name, current, [Symbol.dispose]: () => files[Symbol.dispose]() };
  };
  const directory = project.directoryOf(files, place);
  if (directory === undefined) {
    const { errno } = files;
    if (errno === ENOENT) return target(undefined, undefined);
    if (errno === ELOOP || errno === EXDEV) return undefined;
    throw problemOf(`Cannot change "${place.shown}"`, errno, { place, setup: project.setup });
  }
  const found = files.stat(directory, name);
  if (found === undefined) {
    if (files.errno === ENOENT) return target(directory, undefined);
    throw problemOf(`Cannot change "${place.shown}"`, files.errno, { place, setup: project.setup });
  }
  const current = await openCurrent({ place, files, signal }, { directory, name, found });
  return current && target(directory, current);
}

interface FoundName {
  readonly directory: number;
  readonly name: string;
  readonly found: Stat;
}

async function openCurrent(
  { place, files, signal }: Opening,
  { directory, name, found }: FoundName,
): Promise<CurrentFile | undefined> {
  if (found.kind === "directory") throw directoryProblem(place);
  if (found.kind === "link") return undefined;
  if (found.kind !== "file") throw new UserError(`Cannot change "${place.shown}": it is not a regular file`);
  const fd = files.open(directory, name);
  if (fd === undefined) {
    if (files.errno !== EACCES) return undefined;
    throw new UserError(`Cannot change "${place.shown}": its permissions forbid reading it`);
  }
  if (!files.lock(fd) && !await isLocked(files, fd, signal)) {
    signal.throwIfAborted();
    throw new UserError(`Cannot change "${place.shown}": another program holds a lock on it (flock)`);
  }
  const stat = files.stat(fd, "");
  const named = files.stat(directory, name);
  if (stat === undefined || named === undefined || !isSameFile(named, stat) || !isSameFile(found, stat)) {
    return undefined;
  }
  if (stat.size > LARGEST_BYTES) {
    throw new UserError(`Cannot change "${place.shown}": it has ${stat.size} bytes, more than ${LARGEST_BYTES}`);
  }
  const content = files.read(fd, stat.size);
  return content && { fd, stat, content };
}

async function isLocked(files: OpenFiles, fd: number, signal: AbortSignal): Promise<boolean> {
  const [locked, given] = [files.waitForLock(fd).then(() => true), aborted(signal).then(() => false)];
  return await withTimeout(Promise.race([locked, given]), LONGEST_LOCK_MS) === true;
}

function directoryProblem({ shown }: Place): UserError {
  return new UserError(`Cannot change "${shown}": it is a directory`);
}

/** The outcome; `conflict`: another program changed the file in the meantime, and nothing was written. */
export type Stored = Exclude<StoredFile, { kind: "refused" }> & {
  /** The file that was there may not be written to; only its directory may. */
  readonly wasReadOnly?: true;
};

const CONFLICT: Stored = { kind: "conflict" };

/** Stores a content; a new file gets the rights of `like`. @throws {UserError} When refused; the old one stays. */
export function storeContent(target: Target, content: Uint8Array<ArrayBuffer>, like?: CurrentFile): Stored {
  const directory = target.directory ?? makeParents(target);
  if (directory === undefined) return CONFLICT;
  const { files, current, project } = target;
  project.kept(LeftDrafts).removeFrom(files, directory);
  if (current !== undefined && current.stat.links > 1) insistOnOwnFile(target, current.stat);
  const stored = settled(target, storeFile({ ...target, directory }, content, like));
  return current === undefined || (current.stat.mode & ANY_WRITE) !== 0 ? stored : { ...stored, wasReadOnly: true };
}

const ANY_WRITE = 0o222;

/** Removes the file. @throws {UserError} When the system refuses. */
export function removeTarget(target: Target): Stored {
  const { directory } = target;
  return directory === undefined ? CONFLICT : settled(target, removeFile({ ...target, directory }));
}

/** Undefined: a directory on the way was exchanged. */
function makeParents({ project, place, files }: Target): number | undefined {
  const names = parentOf(place.path).slice(place.root.length + 1).split("/");
  let path = place.root;
  for (const name of names) {
    const parent = project.directoryOf(files, { ...place, path: `${path}/${name}` });
    if (parent === undefined) return undefined;
    if (!files.makeDirectory(parent, name) && files.errno !== EEXIST) {
      throw problemOf(`Cannot make the directory "${path}/${name}"`, files.errno, { place, setup: project.setup });
    }
    path = `${path}/${name}`;
  }
  return project.directoryOf(files, place);
}

function settled({ place, project: { setup } }: Target, stored: StoredFile): Stored {
  if (stored.kind !== "refused") return stored;
  throw problemOf(`Cannot write "${place.shown}"`, stored.errno, { place, setup });
}

/** A protected directory with more entries is taken to hold the file. */
const MOST_ENTRIES = 2000;

/** @throws {DeniedError} When a protected path is a name of the same file. */
function insistOnOwnFile({ project: { setup }, place, files }: Target, wanted: Stat): void {
  const left = { entries: MOST_ENTRIES };
  // An absolute path is seen from no directory.
  const isWanted = (path: string) => isSameFile(files.stat(AT_FDCWD, path), wanted);
  for (const { path, flags, fileOnly, writable = [] } of setup.protection?.paths ?? []) {
    const isProtected = (one: string) => isWanted(one) && !writable.some((name) => one.startsWith(`${path}/${name}/`));
    if (isProtected(path) || !fileOnly && holds(path, isProtected, left)) throw deniedChange(place, setup, flags);
  }
}

function holds(directory: string, isWanted: (path: string) => boolean, left: { entries: number }): boolean {
  const entries = expected(() => [...Deno.readDirSync(directory)]) ?? [];
  left.entries -= entries.length;
  return left.entries < 0 || entries.some(({ name, isDirectory }) => {
    const path = `${directory}/${name}`;
    return isWanted(path) || isDirectory && holds(path, isWanted, left);
  });
}

const MEANINGS: Readonly<Record<number, string>> = {
  [EPERM]: "its permissions, or those of its directory, keep it from being changed",
  [EACCES]: "its permissions, or those of its directory, keep it from being changed",
  [ENOSPC]: "the disk is full",
  [EDQUOT]: "the disk quota is used up",
  [ENOTDIR]: "a directory on the way is a file",
};

/** The error for a refused step: what the sandbox mounts read-only, or replaces by a mount, is protected. */
export function problemOf(
  what: string,
  errno: number,
  { place, setup }: { readonly place: Place; readonly setup: Pick<WorkerSetup, "scopes"> },
): UserError {
  if (errno === EROFS || errno === EBUSY) return deniedChange(place, setup);
  return new UserError(`${what}: ${MEANINGS[errno] ?? `the system refuses it (errno ${errno})`}`);
}
