/**
 * Replaces the content of a file. A draft next to it is written, synced and renamed in one step, so that readers see
 * the old content or the new one, even after a crash. If this would lose something, the file is rewritten in place, and
 * the result says so. No link is followed: names are looked up in the open directory.
 */
import { counted } from "../../base/text.ts";
import { isSameFile, type OpenFiles, type Stat } from "../open_files/file_calls.ts";
import { EACCES, EEXIST, ENOENT, EPERM } from "../syscalls.ts";

/** A name in an open directory. */
export interface NamedFile {
  readonly files: OpenFiles;
  /** Descriptor of the directory. */
  readonly directory: number;
  readonly name: string;
  /** The file that is expected at the name; undefined: none. */
  readonly current: CurrentFile | undefined;
}

export interface CurrentFile {
  readonly fd: number;
  readonly stat: Stat;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** Nothing was written: `conflict`: another file than `current` is there; `refused`: with `errno`. */
export type StoredFile =
  | { readonly kind: "stored"; /** Why not atomically; undefined: atomically. */ readonly inPlace?: string }
  | { readonly kind: "conflict" }
  | { readonly kind: "refused"; readonly errno: number };

const CONFLICT: StoredFile = { kind: "conflict" };
const STORED: StoredFile = { kind: "stored" };
/** Mode of a new file, before the umask. */
const NEW_MODE = 0o666;
const PRIVATE_MODE = 0o600;

/** Stores the content. A new file gets the rights of `like`; absent: the usual rights of a new file. */
export function storeFile(file: NamedFile, content: Uint8Array<ArrayBuffer>, like?: CurrentFile): StoredFile {
  const { current } = file;
  if (current === undefined) return create(file, { content, like });
  const { links } = current.stat;
  if (links > 1) return rewrite(file, { current, content, why: `it has ${counted(links, "name")}` });
  return replace(file, { current, content });
}

/** Removes a file, if it is still the expected one. */
export function removeFile({ files, directory, name, current }: NamedFile): StoredFile {
  if (current === undefined || !isUntouched({ files, directory, name }, current)) return CONFLICT;
  return files.unlink(directory, name) ? STORED : refused(files);
}

/** A draft: a new file that is being written. */
interface Draft {
  readonly fd: number;
  readonly made: Stat;
  /** Undefined: it has no name yet. */
  readonly name: string | undefined;
}

type BeginDraft = (file: NamedFile, mode: number) => Draft | number;

interface NewFile {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly like: CurrentFile | undefined;
}

function create(file: NamedFile, { content, like }: NewFile, begin: BeginDraft = unnamedDraft): StoredFile {
  const { files, directory, name } = file;
  const draft = begin(file, NEW_MODE);
  if (typeof draft === "number") return { kind: "refused", errno: draft };
  try {
    if (!files.writeAll(draft.fd, content)) return refused(files);
    if (like !== undefined && !files.takeRights(draft.fd, like)) return refused(files);
    if (!files.sync(draft.fd)) return refused(files);
    const isThere = draft.name === undefined
      ? files.link(draft.fd, directory, name)
      : files.rename(directory, draft.name, name);
    if (isThere) return STORED;
    const { errno } = files;
    if (errno === EEXIST) return CONFLICT;
    if (draft.name !== undefined) return { kind: "refused", errno };
  } finally {
    discard(file, draft);
  }
  return create(file, { content, like }, namedDraft); // a file system that gives such a file no name
}

interface Replacement {
  readonly current: CurrentFile;
  readonly content: Uint8Array<ArrayBuffer>;
}

function replace(file: NamedFile, replacement: Replacement, begin: BeginDraft = unnamedDraft): StoredFile {
  const { files, directory, name } = file;
  const { current, content } = replacement;
  const inPlace = (why: string) => rewrite(file, { ...replacement, why });
  const draft = begin(file, PRIVATE_MODE);
  if (draft === EACCES || draft === EPERM) return inPlace("its directory cannot be changed");
  if (typeof draft === "number") return { kind: "refused", errno: draft };
  const temporary = draft.name ?? draftName();
  try {
    if (!files.writeAll(draft.fd, content)) return refused(files);
    if (!files.takeRights(draft.fd, current)) return inPlace("its owner and attributes could not be kept");
    if (!files.sync(draft.fd)) return refused(files);
    if (draft.name !== undefined || files.link(draft.fd, directory, temporary)) {
      if (!isUntouched(file, current)) return CONFLICT;
      if (files.replace(directory, temporary, name)) return STORED;
      const { errno } = files;
      if (errno !== EPERM) return { kind: "refused", errno };
      return inPlace("its directory keeps it from being replaced");
    }
  } finally {
    discard(file, { ...draft, name: temporary });
  }
  return replace(file, replacement, namedDraft); // as above
}

/** Rewrites the content in place; restores the old content if that fails. */
function rewrite(file: NamedFile, { current, content, why }: Replacement & { readonly why: string }): StoredFile {
  const { files, directory, name } = file;
  const fd = files.openForWriting(directory, name);
  if (fd === undefined) {
    const refusal = refused(files);
    return refusal.errno === ENOENT ? CONFLICT : refusal;
  }
  if (!isSameFile(files.stat(fd, ""), current.stat) || !isUntouched(file, current)) return CONFLICT;
  if (!files.overwrite(fd, content) || !files.sync(fd)) {
    const refusal = refused(files);
    files.overwrite(fd, current.content);
    return refusal;
  }
  return { kind: "stored", inPlace: why };
}

/** Whether the file at the name is unchanged since it was read. */
function isUntouched({ files, directory, name }: Omit<NamedFile, "current">, { stat }: CurrentFile): boolean {
  const is = files.stat(directory, name);
  return isSameFile(is, stat) && is?.changedAt === stat.changedAt;
}

/** A draft without a name where the file system supports it, or the error number of the refusal. */
function unnamedDraft(file: NamedFile, mode: number): Draft | number {
  const { files, directory } = file;
  const fd = files.createUnnamed(directory, mode);
  const made = fd === undefined ? undefined : files.stat(fd, "");
  if (fd !== undefined && made !== undefined) return { fd, made, name: undefined };
  return namedDraft(file, mode);
}

function namedDraft({ files, directory }: NamedFile, mode: number): Draft | number {
  const name = draftName();
  const fd = files.create(directory, name, mode);
  const made = fd === undefined ? undefined : files.stat(fd, "");
  return fd === undefined || made === undefined ? files.errno : { fd, made, name };
}

/** Removes the draft's own name if it still has one. */
function discard({ files, directory }: NamedFile, { made, name, fd }: Draft): void {
  if (name !== undefined && isSameFile(files.stat(directory, name), made)) files.unlink(directory, name);
  files.drop(fd);
}

/** The refusal of the last call, read before another call changes it. */
function refused({ errno }: OpenFiles): Extract<StoredFile, { kind: "refused" }> {
  return { kind: "refused", errno };
}

const MARK = ".ahma-";
const DRAFT = /^\.ahma-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Minimum age of a draft that is removed, milliseconds. A younger one may belong to another server. */
const LEFT_AFTER_MS = 3_600_000;

/** A name for a draft. */
function draftName(): string {
  return MARK + crypto.randomUUID();
}

/** Drafts of killed processes, removed by later writes. Has the directories already searched. */
export class LeftDrafts {
  readonly #seen = new Set<string>();

  /** Removes the drafts in a directory, only once per directory, because it reads all entries. */
  removeFrom(files: OpenFiles, directory: number): void {
    const stat = files.stat(directory, "");
    const key = `${stat?.device} ${stat?.inode}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const entries = files.with(files.directoryBelow(directory, "."), (fd) => files.entries(fd)) ?? [];
    for (const { name } of entries) {
      if (DRAFT.test(name) && isLeft(files, directory, name)) files.unlink(directory, name);
    }
  }
}

function isLeft(files: OpenFiles, directory: number, name: string): boolean {
  const stat = files.stat(directory, name);
  const writtenAt = files.writtenAt(directory, name);
  return stat !== undefined && writtenAt !== undefined && stat.kind === "file" &&
    stat.uid === Deno.uid() && Date.now() - writtenAt > LEFT_AFTER_MS;
}
