/**
 * Takes a protected file with several names (hard links) apart from the others: a copy takes its place, so that what is
 * written by another name reaches it no more (S21). Commands may run meanwhile and move directories: each step goes by
 * descriptors from the pinned tree, follows no link, and so reaches nothing outside. git's lock is held meanwhile. The
 * copy has no name while it is made, then a random one, and takes the place by an exchange. A command that moves a file
 * to that name between check and exchange brings it into the place; another copy takes the place at once.
 */
import { encodeText } from "../../base/text.ts";
import { LazyLibrary, LITTLE_ENDIAN } from "../../system/c_library.ts";
import { OPEN_FLAGS, type Processor } from "../../system/syscalls.ts";
import type { FileIdentity } from "../../system/libc.ts";
import { isWithin } from "../../system/paths.ts";
import type { PinnedDirectory } from "../policy/policy.ts";

/** What is larger was not written by a person; it is told only. */
const LARGEST_BYTES = 4 * 1024 * 1024;
const MOST_ATTRIBUTE_BYTES = 65_536;
/** How often a file that a command slipped into the place is replaced: each round it must guess a new name in time. */
const MOST_TRIES = 64;
/** The system gives each file the one that its directory asks for. */
const LABEL = "security.selinux";

const LIBRARY = {
  openAt: { name: "syscall", parameters: ["i64", "i64", "buffer", "i64", "i64"], result: "i64" },
  openBelow: { name: "syscall", parameters: ["i64", "i64", "buffer", "buffer", "i64"], result: "i64" },
  stat: { name: "syscall", parameters: ["i64", "i64", "buffer", "buffer", "i64"], result: "i64" },
  renameAt: { name: "syscall", parameters: ["i64", "i64", "buffer", "i64", "buffer", "i64"], result: "i64" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
  fchmod: { parameters: ["i32", "u32"], result: "i32" },
  fchown: { parameters: ["i32", "u32", "u32"], result: "i32" },
  futimens: { parameters: ["i32", "buffer"], result: "i32" },
  linkat: { parameters: ["i32", "buffer", "i32", "buffer", "i32"], result: "i32" },
  unlinkat: { parameters: ["i32", "buffer", "i32"], result: "i32" },
  flistxattr: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  fgetxattr: { parameters: ["i32", "buffer", "buffer", "usize"], result: "isize" },
  fsetxattr: { parameters: ["i32", "buffer", "buffer", "usize", "i32"], result: "i32" },
} as const;

const NUMBERS = {
  x86_64: { openat: 257, openat2: 437, newfstatat: 262, renameat2: 316 },
  aarch64: { openat: 56, openat2: 437, newfstatat: 79, renameat2: 276 },
} as const;

const AT_FDCWD = -100;
const AT_SYMLINK_NOFOLLOW = 0x100;
const AT_SYMLINK_FOLLOW = 0x400;
const AT_EMPTY_PATH = 0x1000;
const O_WRONLY = 1;
const O_CREAT = 0x40;
const O_EXCL = 0x80;
const O_NONBLOCK = 0x800;
const O_CLOEXEC = 0x80000;
const O_PATH = 0x200000;
/** Without O_DIRECTORY, whose number differs by processor. */
const O_TMPFILE = 0x400000;
const RENAME_EXCHANGE = 2;
/** RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH */
const RESOLVE_PLAIN = 0x2n | 0x4n | 0x8n;
const KIND_MASK = 0xf000;
const REGULAR = 0x8000;
const PERMISSIONS = 0o777;

const DECODER = new TextDecoder();

/** `struct stat`, as far as it is needed here. */
interface Stat extends FileIdentity {
  readonly mode: number;
  readonly links: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: bigint;
  /** Times of access and of writing as `struct timespec[2]`. */
  readonly times: BigUint64Array<ArrayBuffer>;
  readonly changedAt: string;
}

/** One of the names of a file. */
export interface SharedName {
  readonly path: string;
  readonly wanted: FileIdentity;
  /** The writable tree that the path lies in, the widest where they are nested. */
  readonly tree: PinnedDirectory;
}

/**
 * What became of a file with a second name. `displaced`: it is a file of its own now, and what another program saved in
 * its place meanwhile lies next to it under a longer name.
 */
export type Separated = "separated" | "displaced" | "shared";

/** The C library's calls for it; dispose it when the session ends. */
export class Separator implements Disposable {
  readonly #library = new LazyLibrary(LIBRARY);
  readonly #processor: Processor;

  constructor(processor: Processor) {
    this.#processor = processor;
  }

  /**
   * Makes the file `path` in `tree`, which must be `wanted`, a file of its own. `shared`: it is not, because it is another
   * file, too large, being replaced by another program (its lock is there), or the system refuses.
   */
  separate({ path, wanted, tree }: SharedName): Separated {
    if (!isWithin(path, tree.path) || path === tree.path) return "shared";
    const open = new Opened(this.#library.symbols.close);
    try {
      const below = path.slice(tree.path === "/" ? 1 : tree.path.length + 1);
      const slash = below.lastIndexOf("/");
      const directory = this.#openDirectory(tree, below.slice(0, Math.max(0, slash)) || ".", open);
      if (directory === undefined) return "shared";
      return this.#replace({ directory, name: below.slice(slash + 1), wanted }, open);
    } finally {
      open.close();
    }
  }

  [Symbol.dispose](): void {
    this.#library[Symbol.dispose]();
  }

  #openDirectory(tree: PinnedDirectory, below: string, open: Opened): number | undefined {
    const { openat, openat2 } = NUMBERS[this.#processor];
    const { directory, noFollow } = OPEN_FLAGS[this.#processor];
    const { openAt, openBelow } = this.#library.symbols;
    const flags = BigInt(O_PATH | O_CLOEXEC | directory | noFollow);
    const top = open.keep(openAt(BigInt(openat), BigInt(AT_FDCWD), text(tree.path), flags, 0n));
    if (top === undefined || !isSame(this.#stat(top, ""), tree)) return undefined;
    const how = new BigUint64Array([flags, 0n, RESOLVE_PLAIN]);
    return open.keep(openBelow(BigInt(openat2), BigInt(top), text(below), how, BigInt(how.byteLength)));
  }

  #replace(file: File, open: Opened): Separated {
    const { directory, name } = file;
    const { openat } = NUMBERS[this.#processor];
    const { noFollow } = OPEN_FLAGS[this.#processor];
    const { openAt, unlinkat } = this.#library.symbols;
    const reading = BigInt(noFollow | O_NONBLOCK | O_CLOEXEC);
    const source = open.keep(openAt(BigInt(openat), BigInt(directory), text(name), reading, 0n));
    const before = source === undefined ? undefined : this.#stat(source, "");
    if (source === undefined || before === undefined || !isSame(before, file.wanted)) return "shared";
    if ((before.mode & KIND_MASK) !== REGULAR || before.size > LARGEST_BYTES) return "shared";
    const content = this.#read(source, before);
    const lock = `${name}.lock`;
    if (content === undefined || this.#create(directory, lock, open) === undefined) return "shared";
    const copying: Copying = { directory, name, source, before, content, left: [] };
    let result = this.#place(copying, "before", open);
    for (let tries = 0; result === "foreign" && tries < MOST_TRIES; tries++) {
      result = this.#place(copying, "foreign", open) === "done" ? "done" : "foreign";
    }
    const kept = copying.left.filter((other) => !this.#discard(directory, other, before));
    unlinkat(directory, text(lock), 0);
    if (result !== "done" || this.#stat(directory, name)?.links !== 1) return "shared";
    return kept.length > 0 ? "displaced" : "separated";
  }

  /** Undefined: not all of it, or what stands there is taken. */
  #read(source: number, { size }: Stat): Uint8Array<ArrayBuffer> | undefined {
    const { read } = this.#library.symbols;
    const bytes = new Uint8Array(Number(size) + 1);
    let length = 0;
    for (let got = 1; got > 0 && length < bytes.length;) {
      got = Number(read(source, bytes.subarray(length), BigInt(bytes.length - length)));
      if (got > 0) length += got;
    }
    return BigInt(length) === size ? bytes.slice(0, length) : undefined;
  }

  /** The descriptor of a new, empty file; undefined where the name is taken. */
  #create(directory: number, name: string, open: Opened): number | undefined {
    const { noFollow } = OPEN_FLAGS[this.#processor];
    const flags = BigInt(O_WRONLY | O_CREAT | O_EXCL | noFollow | O_CLOEXEC);
    const { openat } = NUMBERS[this.#processor];
    return open.keep(this.#library.symbols.openAt(BigInt(openat), BigInt(directory), text(name), flags, 0n));
  }

  /** The descriptor of a new file that no command can find yet; undefined where the file system knows none. */
  #createUnnamed(directory: number, open: Opened): number | undefined {
    const flags = BigInt(O_WRONLY | O_TMPFILE | OPEN_FLAGS[this.#processor].directory | O_CLOEXEC);
    const { openat } = NUMBERS[this.#processor];
    return open.keep(this.#library.symbols.openAt(BigInt(openat), BigInt(directory), text("."), flags, 0n));
  }

  #name(unnamed: number, directory: number, name: string): boolean {
    const path = text(`/proc/self/fd/${unnamed}`);
    return this.#library.symbols.linkat(AT_FDCWD, path, directory, text(name), AT_SYMLINK_FOLLOW) === 0;
  }

  /**
   * Puts a new copy in the file's place. `standing` says what stands there: the file as it was `before`, or a `foreign`
   * one. A result of `foreign` says that a foreign one stands there now. Without room for a copy the file itself takes the
   * place of a foreign one.
   */
  #place(copying: Copying, standing: "before" | "foreign", open: Opened): "done" | "unchanged" | "foreign" {
    const { directory, name, before, source } = copying;
    const other = `${name}.${crypto.randomUUID()}`;
    const copy = this.#namedCopy(copying, other, open) ??
      (standing === "foreign" && this.#name(source, directory, other) ? source : undefined);
    const made = copy === undefined ? undefined : this.#stat(copy, "");
    if (copy === undefined || made === undefined) return "unchanged";
    // What is kept open keeps its space, and the next try may need that.
    if (copy !== source) open.drop(copy);
    const isReady = standing === "foreign" || this.#stat(source, "")?.changedAt === before.changedAt;
    if (isReady && isSame(this.#stat(directory, other), made)) {
      return this.#exchange(copying, { other, made, standing });
    }
    this.#discard(directory, other, made);
    return "unchanged";
  }

  /** The descriptor of a copy that has the name `other`; undefined: none can be made. */
  #namedCopy(copying: Copying, other: string, open: Opened): number | undefined {
    const { directory } = copying;
    const unnamed = this.#createUnnamed(directory, open);
    const copy = unnamed ?? this.#create(directory, other, open);
    if (copy === undefined) return undefined;
    const made = this.#stat(copy, "");
    if (this.#copy(copying, copy) && (unnamed === undefined || this.#name(unnamed, directory, other))) return copy;
    if (made !== undefined) this.#discard(directory, other, made);
    open.drop(copy);
    return undefined;
  }

  #exchange(
    { directory, name, before, left }: Copying,
    { other, made, standing }: Exchange,
  ): "done" | "unchanged" | "foreign" {
    const number = BigInt(NUMBERS[this.#processor].renameat2);
    const { renameAt } = this.#library.symbols;
    const at = BigInt(directory);
    const isReplaced = standing === "before" && !isSame(this.#stat(directory, name), before);
    if (isReplaced || renameAt(number, at, text(other), at, text(name), BigInt(RENAME_EXCHANGE)) !== 0n) {
      this.#discard(directory, other, made);
      return "unchanged";
    }
    // It holds the file as it was, what another program saved meanwhile, or what a command put there.
    left.push(other);
    return isSame(this.#stat(directory, name), made) ? "done" : "foreign";
  }

  /** Removes the name if it is that of `wanted`; false: it is that of another file, which stays. */
  #discard(directory: number, name: string, wanted: FileIdentity): boolean {
    const is = this.#stat(directory, name);
    if (is !== undefined && !isSame(is, wanted)) return false;
    this.#library.symbols.unlinkat(directory, text(name), 0);
    return true;
  }

  /** Content, owner, attributes, mode and times; false: not all of them. */
  #copy({ source, before, content }: Copying, copy: number): boolean {
    const { write, fchmod, fchown, futimens } = this.#library.symbols;
    if (Number(write(copy, content, before.size)) !== content.length) return false;
    const made = this.#stat(copy, "");
    const isOurs = made?.uid === before.uid && made.gid === before.gid;
    return (isOurs || fchown(copy, before.uid, before.gid) === 0) && this.#copyAttributes(source, copy) &&
      fchmod(copy, before.mode & PERMISSIONS) === 0 && futimens(copy, before.times) === 0;
  }

  #copyAttributes(source: number, copy: number): boolean {
    const { flistxattr, fgetxattr, fsetxattr } = this.#library.symbols;
    const list = new Uint8Array(MOST_ATTRIBUTE_BYTES);
    const length = Number(flistxattr(source, list, BigInt(list.length)));
    // A file system that knows none refuses to list them.
    const names = DECODER.decode(list.subarray(0, Math.max(0, length))).split("\0").filter((name) => name !== "");
    const value = new Uint8Array(MOST_ATTRIBUTE_BYTES);
    return names.filter((name) => name !== LABEL).every((name) => {
      const size = fgetxattr(source, text(name), value, BigInt(value.length));
      return size >= 0 && fsetxattr(copy, text(name), value, BigInt(size), 0) === 0;
    });
  }

  #stat(fd: number, name: string): Stat | undefined {
    const stat = new BigUint64Array(32);
    const number = BigInt(NUMBERS[this.#processor].newfstatat);
    const flags = BigInt(AT_SYMLINK_NOFOLLOW | (name === "" ? AT_EMPTY_PATH : 0));
    if (this.#library.symbols.stat(number, BigInt(fd), text(name), stat, flags) !== 0n) return undefined;
    const view = new DataView(stat.buffer);
    const words = (...offsets: readonly number[]) => offsets.map((offset) => view.getUint32(offset, LITTLE_ENDIAN));
    const [mode = 0, links = 0, uid = 0, gid = 0] = this.#processor === "x86_64"
      ? words(24, 16, 28, 32)
      : words(16, 20, 24, 28);
    const [device = 0n, inode = 0n] = stat;
    const times = stat.slice(9, 13);
    return { device, inode, mode, links, uid, gid, size: stat[6] ?? 0n, times, changedAt: `${stat[13]}.${stat[14]}` };
  }
}

interface File {
  /** Its descriptor. */
  readonly directory: number;
  readonly name: string;
  readonly wanted: FileIdentity;
}

interface Copying {
  readonly directory: number;
  readonly name: string;
  readonly source: number;
  readonly before: Stat;
  readonly content: Uint8Array<ArrayBuffer>;
  /** Other names in the directory that hold what stood in the place. */
  readonly left: string[];
}

interface Exchange {
  readonly other: string;
  readonly made: Stat;
  readonly standing: "before" | "foreign";
}

/** Descriptors that are closed together. */
class Opened {
  readonly #close: (fd: number) => number;
  readonly #kept: number[] = [];

  constructor(close: (fd: number) => number) {
    this.#close = close;
  }

  /** Undefined where the system gave none. */
  keep(result: bigint): number | undefined {
    if (result < 0n) return undefined;
    this.#kept.push(Number(result));
    return Number(result);
  }

  /** Closes one before the others. */
  drop(fd: number): void {
    this.#kept.splice(this.#kept.indexOf(fd), 1);
    this.#close(fd);
  }

  close(): void {
    for (const fd of this.#kept.splice(0)) this.#close(fd);
  }
}

function isSame(one: FileIdentity | undefined, other: FileIdentity): boolean {
  return one?.device === other.device && one.inode === other.inode;
}

function text(value: string): Uint8Array<ArrayBuffer> {
  return encodeText(value + "\0");
}
