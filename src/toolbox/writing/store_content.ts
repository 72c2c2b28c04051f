/**
 * Puts a content in the place of a file's: a new file next to it is written, stored, and takes its name in one step, so
 * that readers and a crash meet the old content or the new one whole. Where that would lose something, the file is
 * rewritten in place, and the answer says so.
 */
import { counted } from "../../base/text.ts";
import { isSameFile, type OpenFiles, type Stat } from "../../system/open_files/file_calls.ts";
import { parentOf } from "../../system/paths.ts";
import { draftName, LeftDrafts } from "./left_drafts.ts";
import { EACCES, EEXIST, ENOENT, EPERM } from "../../system/syscalls.ts";
import { problemOf } from "./problems.ts";
import { insistOnOwnFile } from "./shared_names.ts";
import type { CurrentFile, Target } from "./target.ts";

/** The outcome; `conflict`: another program changed the file in the meantime, and nothing was written. */
export type Stored =
  | { readonly kind: "stored"; /** Why not atomically; undefined: atomically. */ readonly inPlace?: string }
  | { readonly kind: "conflict" };

const CONFLICT: Stored = { kind: "conflict" };
const STORED: Stored = { kind: "stored" };
/** Of a new file, before the umask. */
const NEW_MODE = 0o666;
const PRIVATE_MODE = 0o600;

/**
 * Stores the content; a new file gets the rights of `like`, or without it those of any new file.
 * @throws {UserError} When the system refuses; the old content is there then.
 */
export function storeContent(target: Target, content: Uint8Array<ArrayBuffer>, like?: CurrentFile): Stored {
  const directory = target.directory ?? makeParents(target);
  if (directory === undefined) return CONFLICT;
  target.project.kept(LeftDrafts).removeFrom(target, directory);
  const { current } = target;
  if (current === undefined) return create(target, directory, { content, like });
  if (current.stat.links > 1) {
    insistOnOwnFile(target, current.stat);
    return rewrite(target, directory, { current, content, why: `it has ${counted(current.stat.links, "name")}` });
  }
  return replace(target, directory, { current, content });
}

/** Removes the file. @throws {UserError} When the system refuses. */
export function removeFile(target: Target): Stored {
  const { files, directory, name, current } = target;
  if (directory === undefined || current === undefined) return CONFLICT;
  if (!isUntouched(files, directory, { name, current })) return CONFLICT;
  if (!files.unlink(directory, name)) throw refused(target, files.errno);
  return STORED;
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

/** A file being written that has, or soon gets, its own name. */
interface Draft {
  readonly fd: number;
  readonly made: Stat;
  /** Undefined: none yet. */
  readonly name: string | undefined;
}

type BeginDraft = (target: Target, directory: number, mode: number) => Draft | number;

interface NewFile {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly like: CurrentFile | undefined;
}

function create(target: Target, directory: number, file: NewFile, begin: BeginDraft = unnamedDraft): Stored {
  const { files, name } = target;
  const { content, like } = file;
  const draft = begin(target, directory, NEW_MODE);
  if (typeof draft === "number") throw refused(target, draft);
  try {
    if (!files.writeAll(draft.fd, content)) throw refused(target, files.errno);
    if (like !== undefined && !files.takeRights(draft.fd, like)) throw refused(target, files.errno);
    if (!files.sync(draft.fd)) throw refused(target, files.errno);
    const isThere = draft.name === undefined
      ? files.link(draft.fd, directory, name)
      : files.rename(directory, draft.name, name);
    if (isThere) return STORED;
    const { errno } = files;
    if (errno === EEXIST) return CONFLICT;
    if (draft.name !== undefined) throw refused(target, errno);
  } finally {
    discard(files, directory, draft);
  }
  return create(target, directory, file, namedDraft); // a file system that gives such a file no name
}

interface Replacement {
  readonly current: CurrentFile;
  readonly content: Uint8Array<ArrayBuffer>;
}

function replace(
  target: Target,
  directory: number,
  replacement: Replacement,
  begin: BeginDraft = unnamedDraft,
): Stored {
  const { files, name } = target;
  const { current, content } = replacement;
  const inPlace = (why: string) => rewrite(target, directory, { ...replacement, why });
  const draft = begin(target, directory, PRIVATE_MODE);
  if (draft === EACCES || draft === EPERM) return inPlace("its directory cannot be changed");
  if (typeof draft === "number") throw refused(target, draft);
  const temporary = draft.name ?? draftName();
  try {
    if (!files.writeAll(draft.fd, content)) throw refused(target, files.errno);
    if (!files.takeRights(draft.fd, current)) return inPlace("its owner and attributes could not be kept");
    if (!files.sync(draft.fd)) throw refused(target, files.errno);
    if (draft.name !== undefined || files.link(draft.fd, directory, temporary)) {
      if (!isUntouched(files, directory, { name, current })) return CONFLICT;
      if (files.replace(directory, temporary, name)) return STORED;
      const { errno } = files;
      if (errno !== EPERM) throw refused(target, errno);
      return inPlace("its directory keeps it from being replaced");
    }
  } finally {
    discard(files, directory, { ...draft, name: temporary });
  }
  return replace(target, directory, replacement, namedDraft); // as above
}

/** Writes over the content; what is there is put back where that ends early. */
function rewrite(
  target: Target,
  directory: number,
  { current, content, why }: Replacement & { readonly why: string },
): Stored {
  const { files, name } = target;
  const fd = files.openForWriting(directory, name);
  if (fd === undefined) {
    const { errno } = files;
    if (errno === ENOENT) return CONFLICT;
    throw refused(target, errno);
  }
  if (!isSameFile(files.stat(fd, ""), current.stat) || !isUntouched(files, directory, { name, current })) {
    return CONFLICT;
  }
  if (!files.overwrite(fd, content) || !files.sync(fd)) {
    const { errno } = files;
    files.overwrite(fd, current.content);
    throw refused(target, errno);
  }
  return { kind: "stored", inPlace: why };
}

/** Whether the name still has the file as it was read. */
function isUntouched(
  files: OpenFiles,
  directory: number,
  { name, current: { stat } }: { readonly name: string; readonly current: CurrentFile },
): boolean {
  const is = files.stat(directory, name);
  return isSameFile(is, stat) && is?.changedAt === stat.changedAt;
}

/** The draft, or the error number of the system's refusal: without a name where the file system knows that. */
function unnamedDraft(target: Target, directory: number, mode: number): Draft | number {
  const { files } = target;
  const fd = files.createUnnamed(directory, mode);
  const made = fd === undefined ? undefined : files.stat(fd, "");
  if (fd !== undefined && made !== undefined) return { fd, made, name: undefined };
  return namedDraft(target, directory, mode);
}

function namedDraft({ files }: Target, directory: number, mode: number): Draft | number {
  const name = draftName();
  const fd = files.create(directory, name, mode);
  const made = fd === undefined ? undefined : files.stat(fd, "");
  return fd === undefined || made === undefined ? files.errno : { fd, made, name };
}

/** Takes the draft's own name away, if it still has it. */
function discard(files: OpenFiles, directory: number, { made, name, fd }: Draft): void {
  if (name !== undefined && isSameFile(files.stat(directory, name), made)) files.unlink(directory, name);
  files.drop(fd);
}

function refused({ place, project: { setup } }: Target, errno: number) {
  return problemOf(`Cannot write "${place.shown}"`, errno, { place, setup });
}
