/** System calls on a name in an open directory, without links, as paths may lead elsewhere any time. */
import { nameText } from "../../base/bytes.ts";
import { type DirectoryEntry, errnoAt, listEntries } from "../c_library.ts";
import { factsOf, type FileFacts, type FileIdentity } from "../libc.ts";
import { copyAttributes, haveSameAttributes } from "./attributes.ts";
import { type FileLibrary, openFileLibrary, text } from "./library.ts";
import {
  AT_EMPTY_PATH,
  AT_FDCWD,
  AT_REMOVEDIR,
  AT_SYMLINK_NOFOLLOW,
  EACCES,
  EAGAIN,
  EINVAL,
  EOPNOTSUPP,
  O_CLOEXEC,
  O_CREAT,
  O_EXCL,
  O_NONBLOCK,
  O_PATH,
  O_WRONLY,
  OWN_CALLS,
  OWN_OPEN_FLAGS,
} from "../syscalls.ts";

const AT_SYMLINK_FOLLOW = 0x400;
/** Without O_DIRECTORY, whose number differs by processor. */
const O_TMPFILE = 0x400000;
const RENAME_NOREPLACE = 1;
const RENAME_EXCHANGE = 2;
const O_RDWR = 2;
const SEEK_CUR = 1;
const LOCK_EX = 2;
const LOCK_NB = 4;
const F_SETSIG = 10;
const F_SETLEASE = 1024;
const F_RDLCK = 0n;
/** Signal of a broken lease; ignored by default. */
const SIGURG = 23n;
/** Errors for a file of another user, or a file system without leases. */
const NO_LEASE: readonly number[] = [EACCES, EINVAL, EOPNOTSUPP];
/** RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH */
const RESOLVE_PLAIN = 0x2n | 0x4n | 0x8n;
const STATX_BTIME = 0x800n;
/** Of `stx_btime` in `struct statx`, in 64-bit words. */
const BIRTH_WORD = 10;
const PERMISSIONS = 0o777;
const OWNER = 0o700;
const PRIVATE = 0o600;

/** The needed fields of `struct stat`. */
export interface Stat extends FileFacts {
  /** Times of access and of writing as `struct timespec[2]`. */
  readonly times: BigUint64Array<ArrayBuffer>;
}

/** An open file whose rights another one gets. */
interface OpenLike {
  readonly fd: number;
  readonly stat: Stat;
}

/** The C library's calls; dispose it when the session ends. */
export class FileCalls implements Disposable {
  readonly #library = openFileLibrary();

  /** Opens nothing yet; disposing of it closes what was opened by it. */
  begin(): OpenFiles {
    return new OpenFiles(this.#library);
  }

  [Symbol.dispose](): void {
    this.#library[Symbol.dispose]();
  }
}

/** Work on files of one directory. Its descriptors stay open until they are dropped or it is disposed of. */
export class OpenFiles implements Disposable {
  readonly #library: FileLibrary;
  readonly #kept: number[] = [];
  readonly #stat = new BigUint64Array(32);

  constructor(library: FileLibrary) {
    this.#library = library;
  }

  /** Opens a directory `below` a tree. Undefined: the tree is not the one that was pinned, or a link is on the path. */
  directory(tree: FileIdentity & { readonly path: string }, below: string): number | undefined {
    const { directory, noFollow } = OWN_OPEN_FLAGS;
    const flags = O_PATH | O_CLOEXEC | directory | noFollow;
    const top = this.#open(AT_FDCWD, tree.path, flags);
    if (top === undefined || !isSameFile(this.stat(top, ""), tree)) return undefined;
    return this.#openBelow(top, below, flags);
  }

  /** Opens a directory by its canonical path; undefined: there is none, or it is a link. */
  directoryAt(path: string): number | undefined {
    return this.#open(AT_FDCWD, path, O_PATH | O_CLOEXEC | OWN_OPEN_FLAGS.directory | OWN_OPEN_FLAGS.noFollow);
  }

  /** Opens a file for reading; undefined: it is a link, or cannot be opened. */
  open(directory: number, name: string): number | undefined {
    return this.#open(directory, name, OWN_OPEN_FLAGS.noFollow | O_NONBLOCK | O_CLOEXEC);
  }

  /** Opens a directory below another for `entries`, without following links; undefined: there is none. */
  directoryBelow(directory: number, below: string): number | undefined {
    const flags = OWN_OPEN_FLAGS.directory | OWN_OPEN_FLAGS.noFollow | O_CLOEXEC;
    return this.#openBelow(directory, below, flags);
  }

  /** Opens a file below a directory for reading, without following links; undefined: there is none. */
  fileBelow(directory: number, below: string): number | undefined {
    return this.#openBelow(directory, below, O_NONBLOCK | O_CLOEXEC);
  }

  /** The entries of a directory that was opened by `directoryBelow`; a few more than `most` where there are more. */
  entries(fd: number, most = Infinity): readonly DirectoryEntry[] {
    const number = BigInt(OWN_CALLS.getdents64);
    const { directory } = this.#library.symbols;
    const read = (into: Uint8Array<ArrayBuffer>) => directory(number, BigInt(fd), into, BigInt(into.length));
    return listEntries(new Uint8Array(65_536), read, { most });
  }

  /** Reopens an open file for reading; undefined: it may not be read. */
  reopen(fd: number): number | undefined {
    return this.#open(AT_FDCWD, `/proc/self/fd/${fd}`, O_NONBLOCK | O_CLOEXEC);
  }

  /** Opens a file for reading and writing and keeps its content; undefined: it is a link, or cannot be opened. */
  openForWriting(directory: number, name: string): number | undefined {
    return this.#open(directory, name, O_RDWR | OWN_OPEN_FLAGS.noFollow | O_NONBLOCK | O_CLOEXEC);
  }

  /** Creates an empty file for writing; the umask applies to `mode`. Undefined: the name is taken. */
  create(directory: number, name: string, mode = 0): number | undefined {
    const { noFollow } = OWN_OPEN_FLAGS;
    return this.#open(directory, name, O_WRONLY | O_CREAT | O_EXCL | noFollow | O_CLOEXEC, mode);
  }

  /** Creates a file that has no name yet; undefined: the file system does not support this. */
  createUnnamed(directory: number, mode = 0): number | undefined {
    return this.#open(directory, ".", O_WRONLY | O_TMPFILE | OWN_OPEN_FLAGS.directory | O_CLOEXEC, mode);
  }

  /** Creates a directory; the umask applies to `mode`. False: the name is taken, or the system refuses. */
  makeDirectory(directory: number, name: string): boolean {
    return this.#library.symbols.mkdirat(directory, text(name), PERMISSIONS) === 0;
  }

  /** Gives the owner all rights to a directory; false: the system refuses. */
  openToOwner(directory: number): boolean {
    // The mode of the directory may forbid opening it.
    return this.#library.symbols.fchmodat(AT_FDCWD, text(`/proc/self/fd/${directory}`), OWNER, 0) === 0;
  }

  /** Links an open file to another name; false: the name is taken, or the file has no name any more. */
  link(fd: number, directory: number, name: string): boolean {
    const path = text(`/proc/self/fd/${fd}`);
    return this.#library.symbols.linkat(AT_FDCWD, path, directory, text(name), AT_SYMLINK_FOLLOW) === 0;
  }

  /** Exchanges two names of a directory in one step. */
  exchange(directory: number, one: string, other: string): boolean {
    return this.#renameAt([directory, one], [directory, other], RENAME_EXCHANGE);
  }

  /** Renames `from` to `to` in the same directory and replaces an existing `to`; a link is replaced, not followed. */
  replace(directory: number, from: string, to: string): boolean {
    return this.#renameAt([directory, from], [directory, to], 0);
  }

  /** As `replace`, but fails if `to` exists. */
  rename(directory: number, from: string, to: string): boolean {
    return this.#renameAt([directory, from], [directory, to], RENAME_NOREPLACE);
  }

  /** Moves a file to a free name in another directory; false: the name is taken, or the system refuses. */
  move(directory: number, name: string, to: number, toName: string): boolean {
    return this.#renameAt([directory, name], [to, toName], RENAME_NOREPLACE);
  }

  /** Exchanges two names of two directories in one step, so that both always exist; false: the system refuses. */
  exchangeAt(directory: number, name: string, other: number, otherName: string): boolean {
    return this.#renameAt([directory, name], [other, otherName], RENAME_EXCHANGE);
  }

  /** Makes a link; false: the name is taken, or the system refuses. */
  makeLink(target: string, directory: number, name: string): boolean {
    return this.#library.symbols.symlinkat(text(target), directory, text(name)) === 0;
  }

  /** Where a link leads; undefined: there is none. */
  linkTarget(directory: number, name: string): string | undefined {
    const buffer = new Uint8Array(4096);
    const length = Number(this.#library.symbols.readlinkat(directory, text(name), buffer, BigInt(buffer.length)));
    return length < 0 ? undefined : nameText(buffer.subarray(0, length));
  }

  /** Removes a name; false: the system refuses. */
  unlink(directory: number, name: string): boolean {
    return this.#library.symbols.unlinkat(directory, text(name), 0) === 0;
  }

  /** Removes an empty directory; false: it is not one, or the system refuses. */
  removeDirectory(directory: number, name: string): boolean {
    return this.#library.symbols.unlinkat(directory, text(name), AT_REMOVEDIR) === 0;
  }

  /** Reads all bytes of a file of `size`; undefined: there are fewer or more. */
  read(fd: number, size: bigint): Uint8Array<ArrayBuffer> | undefined {
    const { read } = this.#library.symbols;
    const bytes = new Uint8Array(Number(size) + 1);
    let length = 0;
    for (let got = 1; got > 0 && length < bytes.length;) {
      got = Number(read(fd, bytes.subarray(length), BigInt(bytes.length - length)));
      if (got > 0) length += got;
    }
    return BigInt(length) === size ? bytes.slice(0, length) : undefined;
  }

  /** Reads into `buffer` from `position`, bytes; the number read, 0 at the end. Undefined: it cannot be read. */
  readAt(fd: number, buffer: Uint8Array<ArrayBuffer>, position: number): number | undefined {
    const length = Number(this.#library.symbols.pread(fd, buffer, BigInt(buffer.length), BigInt(position)));
    return length < 0 ? undefined : length;
  }

  /** Whether no program writes or maps `fd`, open for reading, until it closes (fcntl(2) leases). True without leases. */
  hasNoWriter(fd: number): boolean {
    const { fcntl, __errno_location } = this.#library.symbols;
    fcntl(fd, F_SETSIG, SIGURG);
    return fcntl(fd, F_SETLEASE, F_RDLCK) === 0 || NO_LEASE.includes(errnoAt(__errno_location()));
  }

  /** Writes content; copies owner, attributes, mode and times of another file; false: not all succeeded. */
  write(fd: number, content: Uint8Array<ArrayBuffer>, like: OpenLike): boolean {
    const { futimens } = this.#library.symbols;
    return this.writeAll(fd, content) && this.takeRights(fd, like) && futimens(fd, like.stat.times) === 0;
  }

  /** Writes the content at the current position; false: not all was written. */
  writeAll(fd: number, content: Uint8Array<ArrayBuffer>): boolean {
    const { write } = this.#library.symbols;
    for (let at = 0; at < content.length;) {
      const written = Number(write(fd, content.subarray(at), BigInt(content.length - at)));
      if (written <= 0) return false;
      at += written;
    }
    return true;
  }

  /** Leaves a hole of so many bytes at the current position; false: the system refuses. */
  skip(fd: number, bytes: number): boolean {
    return this.#library.symbols.lseek(fd, BigInt(bytes), SEEK_CUR) >= 0n;
  }

  /** Gives a file its size; false: the system refuses. */
  resize(fd: number, bytes: number): boolean {
    return this.#library.symbols.ftruncate(fd, BigInt(bytes)) === 0;
  }

  /** Copies owner, attributes and mode of another file to an open one; false: not all were copied. */
  takeRights(fd: number, { fd: source, stat }: OpenLike): boolean {
    const { fchmod, fchown } = this.#library.symbols;
    const made = this.stat(fd, "");
    const isOurs = made?.uid === stat.uid && made.gid === stat.gid;
    if (!isOurs && fchown(fd, stat.uid, stat.gid) !== 0) return false;
    // Attributes can be set only while the owner may write the file.
    return fchmod(fd, PRIVATE) === 0 && copyAttributes(this.#library, source, fd) &&
      fchmod(fd, stat.mode & PERMISSIONS) === 0;
  }

  /** Overwrites an open file, beginning with the part that needs more space; false: not all was written. */
  overwrite(fd: number, content: Uint8Array<ArrayBuffer>): boolean {
    const { lseek, ftruncate } = this.#library.symbols;
    const size = this.stat(fd, "")?.size ?? 0n;
    const kept = Math.min(Number(size), content.length);
    const write = (from: number, to: number) =>
      lseek(fd, BigInt(from), 0) === BigInt(from) && this.writeAll(fd, content.subarray(from, to));
    if (write(kept, content.length)) return write(0, kept) && ftruncate(fd, BigInt(content.length)) === 0;
    ftruncate(fd, size); // a full disk leaves the file as it was
    return false;
  }

  /** Waits until the content of a file is on the disk (fsync). */
  sync(fd: number): boolean {
    return this.#library.symbols.fsync(fd) === 0;
  }

  /** Takes the advisory lock of an open file until it is closed; false: another process holds it. */
  lock(fd: number): boolean {
    const { flock, __errno_location } = this.#library.symbols;
    return flock(fd, LOCK_EX | LOCK_NB) === 0 || errnoAt(__errno_location()) !== EAGAIN;
  }

  /** Waits for the lock and takes it. The descriptor may be closed meanwhile. */
  async waitForLock(fd: number): Promise<void> {
    await this.#library.symbols.waitForLock(fd, LOCK_EX);
  }

  /** The error number of the last call that failed. */
  get errno(): number {
    return errnoAt(this.#library.symbols.__errno_location());
  }

  /** Facts about a name in `fd`, or `fd` itself if empty; links are not followed. Undefined: it is gone. */
  stat(fd: number, name: string): Stat | undefined {
    const stat = new BigUint64Array(32);
    const number = BigInt(OWN_CALLS.newfstatat);
    const flags = BigInt(AT_SYMLINK_NOFOLLOW | (name === "" ? AT_EMPTY_PATH : 0));
    if (this.#library.symbols.stat(number, BigInt(fd), text(name), stat, flags) !== 0n) return undefined;
    return { ...factsOf(stat, new Uint32Array(stat.buffer)), times: stat.slice(9, 13) };
  }

  /** An identity that stays unique even if a later file reuses the inode number; undefined: the file is gone. */
  identity(fd: number, name: string): string | undefined {
    const stat = this.stat(fd, name);
    const born = new BigUint64Array(32); // zeros where the file system does not know
    const number = BigInt(OWN_CALLS.statx);
    const flags = BigInt(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH);
    this.#library.symbols.statx(number, BigInt(fd), text(name), flags, STATX_BTIME, born);
    return stat && `${stat.device}:${stat.inode}:${born[BIRTH_WORD]}.${born[BIRTH_WORD + 1]}`;
  }

  /** When it was last written, milliseconds since 1970, faster than `stat`. Undefined: it is gone. */
  writtenAt(fd: number, name: string): number | undefined {
    const number = BigInt(OWN_CALLS.newfstatat);
    const stat = this.#stat;
    if (this.#library.symbols.stat(number, BigInt(fd), text(name), stat, BigInt(AT_SYMLINK_NOFOLLOW)) !== 0n) {
      return undefined;
    }
    return Number(stat[11]) * 1000 + Number(stat[12]) / 1e6;
  }

  /** Calls back with a descriptor, and drops it then; undefined: there is none. */
  with<Result>(fd: number | undefined, work: (fd: number) => Result): Result | undefined {
    if (fd === undefined) return undefined;
    try {
      return work(fd);
    } finally {
      this.drop(fd);
    }
  }

  /** Closes one descriptor early, because an open file keeps its disk space. */
  drop(fd: number): void {
    this.#kept.splice(this.#kept.indexOf(fd), 1);
    this.#library.symbols.close(fd);
  }

  [Symbol.dispose](): void {
    for (const fd of this.#kept.splice(0)) this.#library.symbols.close(fd);
  }

  #open(directory: number, name: string, flags: number, mode = 0): number | undefined {
    const number = BigInt(OWN_CALLS.openat);
    const { openAt } = this.#library.symbols;
    return this.#keep(openAt(number, BigInt(directory), text(name), BigInt(flags), BigInt(mode)));
  }

  #renameAt([from, name]: readonly [number, string], [to, toName]: readonly [number, string], flags: number): boolean {
    const number = BigInt(OWN_CALLS.renameat2);
    const { renameAt } = this.#library.symbols;
    return renameAt(number, BigInt(from), text(name), BigInt(to), text(toName), BigInt(flags)) === 0n;
  }

  #openBelow(directory: number, below: string, flags: number): number | undefined {
    const { openat2 } = OWN_CALLS;
    const how = new BigUint64Array([BigInt(flags), 0n, RESOLVE_PLAIN]);
    const { openBelow } = this.#library.symbols;
    return this.#keep(openBelow(BigInt(openat2), BigInt(directory), text(below), how, BigInt(how.byteLength)));
  }

  #keep(result: bigint): number | undefined {
    if (result < 0n) return undefined;
    this.#kept.push(Number(result));
    return Number(result);
  }

  /** Whether both files have the same extended attributes, including ACLs. */
  haveSameAttributes(one: number, other: number): boolean {
    return haveSameAttributes(this.#library, one, other);
  }
}

/** Whether both are the same file; undefined counts as no file. */
export function isSameFile(one: FileIdentity | undefined, other: FileIdentity): boolean {
  return one?.device === other.device && one.inode === other.inode;
}
