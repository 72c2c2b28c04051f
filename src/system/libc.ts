/**
 * The few C library calls that the program makes itself, all on the calling thread. They query the kernel and make
 * memory files. None of them restricts this process, because a restricted thread of the server would be an escape hatch
 * (S3).
 */
import { nameBytes, nameText } from "../base/bytes.ts";
import { encodeText, settledText, words } from "../base/text.ts";
import { type DirectoryEntry, type EntryKind, errnoAt, LazyLibrary, listEntries } from "./c_library.ts";
import {
  AT_FDCWD,
  AT_SYMLINK_NOFOLLOW,
  EINVAL,
  O_CLOEXEC,
  O_PATH,
  OWN_CALLS,
  OWN_OPEN_FLAGS,
  SOCK_STREAM,
  THIS_PROCESSOR,
} from "./syscalls.ts";
import { AbsenceWatch, type ChangeWatch, PathWatch, type StatInto, type Watched } from "./stat_watch.ts";

/** The functions that every start calls. */
const QUESTIONS = words("__errno_location landlock stat seccomp limit");

const FILES = words("__errno_location memfd_create open read write close socket");

const LISTINGS = words("directory readlink");

const AF_INET6 = 10;
const HERE = BigInt(AT_FDCWD);
const MFD_CLOEXEC = 1;
const MFD_EXEC = 16;
const LANDLOCK_CREATE_RULESET_VERSION = 1n;
const SECCOMP_RET_ERRNO = 0x0005_0000;
const SECCOMP_GET_ACTION_AVAIL = 2n;

/** RLIM_INFINITY */
const UNLIMITED = 0xffff_ffff_ffff_ffffn;

const DECODER = new TextDecoder();

/** Identifies a file by device and inode. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
}

/** Facts of `lstat` about a path. */
export interface FileFacts extends FileIdentity {
  readonly kind: EntryKind;
  readonly mode: number;
  /** The number of hard links of the file; without meaning for a directory. */
  readonly links: number;
  /** Its owner and group. */
  readonly uid: number;
  readonly gid: number;
  readonly size: bigint;
  /** Nanoseconds since 1970 of the last change of content, owner or mode; programs cannot set it. */
  readonly changedAt: bigint;
}

/** An entry that a search enters or may look for. */
export type SearchedEntry = DirectoryEntry & { readonly kind: "directory" | "other" };

const BUFFER_BYTES = 65_536n;
const NO_FOLLOW = BigInt(AT_SYMLINK_NOFOLLOW);
const KIND_MASK = 0xf000;
const KINDS: Readonly<Record<number, EntryKind>> = { 0x4000: "directory", 0x8000: "file", 0xa000: "link" };
/** Offsets in 32-bit words of `struct stat`. The other fields have the same offsets on both processors. */
const [MODE_WORD, LINKS_WORD, UID_WORD] = THIS_PROCESSOR === "x86_64" ? [6, 4, 7] as const : [4, 5, 6] as const;

/** What `struct stat` says, as 64-bit and as 32-bit words of the same memory. */
export function factsOf(stat: BigUint64Array, words: Uint32Array): FileFacts {
  const mode = words[MODE_WORD] ?? 0;
  return {
    device: stat[0] ?? 0n,
    inode: stat[1] ?? 0n,
    kind: KINDS[mode & KIND_MASK] ?? "other",
    mode,
    links: words[LINKS_WORD] ?? 0,
    uid: words[UID_WORD] ?? 0,
    gid: words[UID_WORD + 1] ?? 0,
    size: stat[6] ?? 0n,
    changedAt: (stat[13] ?? 0n) * 1_000_000_000n + (stat[14] ?? 0n),
  };
}

/** Calls `use` with the C library, unloads it, and returns the result of `use`. */
export function withLibc<Result>(use: (libc: Libc) => Result): Result {
  const libc = new Libc();
  try {
    return use(libc);
  } finally {
    libc[Symbol.dispose]();
  }
}

/** The C library, glibc or musl; disposal unloads it. Calls throw an Error if there is none. */
export class Libc implements Disposable {
  readonly #questions = new LazyLibrary(QUESTIONS);
  readonly #files = new LazyLibrary(FILES);
  readonly #listings = new LazyLibrary(LISTINGS);
  /** For entries of directories. */
  #buffer: Uint8Array<ArrayBuffer> | undefined;
  readonly #stat = new BigUint64Array(32);
  readonly #statWords = new Uint32Array(this.#stat.buffer);

  /** Landlock's ABI, or the errno of the refusal as a negative number (ENOSYS 38: not built; EOPNOTSUPP 95: disabled). */
  landlockAbi(): number {
    const number = BigInt(OWN_CALLS.landlock_create_ruleset);
    const { landlock, __errno_location } = this.#questions.symbols;
    const abi = landlock(number, 0n, 0n, LANDLOCK_CREATE_RULESET_VERSION);
    return abi < 0n ? -errnoAt(__errno_location()) : Number(abi);
  }

  /** Whether this process can make IPv6 sockets, which the kernel or an outer filter can refuse. */
  hasIpv6(): boolean {
    const { socket, close } = this.#files.symbols;
    const opened = socket(AF_INET6, SOCK_STREAM | O_CLOEXEC, 0);
    if (opened >= 0) close(opened);
    return opened >= 0;
  }

  /** Whether the kernel can filter system calls by answering with an error. */
  filtersCalls(): boolean {
    const number = BigInt(OWN_CALLS.seccomp);
    const action = new Uint32Array([SECCOMP_RET_ERRNO]);
    return this.#questions.symbols.seccomp(number, SECCOMP_GET_ACTION_AVAIL, 0n, action) === 0n;
  }

  /** The limits of this process for a resource number; undefined: unlimited or unknown. */
  limitOf(resource: number): { readonly soft: number | undefined; readonly hard: number | undefined } {
    const found = new BigUint64Array([UNLIMITED, UNLIMITED]);
    const number = BigInt(OWN_CALLS.prlimit64);
    this.#questions.symbols.limit(number, 0n, BigInt(resource), 0n, found);
    const [soft, hard] = Array.from(found, (one) => one === UNLIMITED ? undefined : Number(one));
    return { soft, hard };
  }

  /** Device and inode of the target of `path`, as exact bigints; undefined: it is gone. */
  identityOf(path: string): FileIdentity | undefined {
    if (!this.#takeStat(path, 0n)) return undefined;
    const [device = 0n, inode = 0n] = this.#stat;
    return { device, inode };
  }

  /** Facts about `path`; a link is not followed. Undefined: it is missing or out of reach. A call takes about 2 µs. */
  lookAt(path: string): FileFacts | undefined {
    return this.#takeStat(path, NO_FOLLOW) ? factsOf(this.#stat, this.#statWords) : undefined;
  }

  #takeStat(path: string, flags: bigint): boolean {
    const number = BigInt(OWN_CALLS.newfstatat);
    return this.#questions.symbols.stat(number, HERE, nameBytes(path + "\0"), this.#stat, flags) === 0n;
  }

  /** Watches fixed paths by repeated `lookAt`. */
  watch(paths: readonly string[], watched?: Exclude<Watched, "absence">): PathWatch;
  watch(paths: readonly string[], watched?: Watched): ChangeWatch;
  watch(paths: readonly string[], watched: Watched = "everything"): ChangeWatch {
    if (watched === "absence") return new AbsenceWatch(paths, (some) => this.watch(some));
    const number = BigInt(OWN_CALLS.newfstatat);
    const { stat } = this.#questions.symbols;
    const look: StatInto = (name, into) => stat(number, HERE, name, into, NO_FOLLOW) === 0n;
    return new PathWatch(paths, look, watched);
  }

  /** An executable memory file for the caller to close. Undefined: the system forbids them (`vm.memfd_noexec=2`). */
  memoryFile(bytes: Uint8Array<ArrayBuffer>): number | undefined {
    const name = encodeText("ahma_launcher\0");
    const { memfd_create, write, close, __errno_location } = this.#files.symbols;
    let fd = memfd_create(name, MFD_CLOEXEC | MFD_EXEC);
    // Kernels before 6.3 neither know nor need MFD_EXEC.
    if (fd < 0 && errnoAt(__errno_location()) === EINVAL) fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0) return undefined;
    if (Number(write(fd, bytes, BigInt(bytes.length))) === bytes.length) return fd;
    close(fd);
    return undefined;
  }

  /** A file of /proc, 64 KiB unless `whole`; undefined: gone. Deno wants every permission to open /proc. */
  readProc(path: string, { whole = false } = {}): string | undefined {
    return this.#withOpen(path, (fd) => {
      const decoder = new TextDecoder();
      const buffer = new Uint8Array(65_536);
      let text = "";
      for (;;) {
        const length = Number(this.#files.symbols.read(fd, buffer, BigInt(buffer.length)));
        if (length < 0) return undefined;
        text += decoder.decode(buffer.subarray(0, length), { stream: true });
        if (length === 0 || !whole) return text;
      }
    });
  }

  /** The ids of the children of all threads of a process; empty when it is gone or its kernel does not list them. */
  childrenOf(pid: number): readonly number[] {
    return this.#numbersIn(`/proc/${pid}/task`).flatMap((thread) => {
      const listed = settledText(() => this.readProc(`/proc/${pid}/task/${thread}/children`) ?? "");
      return listed.split(" ").filter((child) => child !== "").map(Number);
    });
  }

  /** All processes that this one can see. */
  processes(): readonly number[] {
    return this.#numbersIn("/proc");
  }

  /** The targets of a process's descriptors, such as `socket:[1234]`; empty: it may not be read or is gone. */
  descriptorsOf(pid: number | "self"): ReadonlyMap<number, string> {
    const buffer = new Uint8Array(64);
    return new Map(
      this.#numbersIn(`/proc/${pid}/fd`).map((fd) => {
        const path = encodeText(`/proc/${pid}/fd/${fd}\0`);
        const length = Number(this.#listings.symbols.readlink(path, buffer, BigInt(buffer.length)));
        return [fd, length < 0 ? "" : DECODER.decode(buffer.subarray(0, length))];
      }),
    );
  }

  /** Inode numbers of the sockets of a process; empty: it may not be read or is gone. */
  socketsOf(pid: number): readonly string[] {
    return [...this.descriptorsOf(pid).values()].flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
  }

  /** The system call in which each thread of a process is blocked (proc(5)); empty: it may not be read or is gone. */
  callsOf(pid: number): ReadonlyMap<number, string> {
    const call = (thread: number) => this.readProc(`/proc/${pid}/task/${thread}/syscall`) ?? "";
    return new Map(this.#numbersIn(`/proc/${pid}/task`).map((thread) => [thread, call(thread)]));
  }

  /** How often a thread has begun to wait; empty: it may not be read or is gone. */
  waitsOf(thread: number): string {
    return /^voluntary_ctxt_switches:\s*(\d+)/m.exec(this.readProc(`/proc/${thread}/status`) ?? "")?.[1] ?? "";
  }

  /** The entries of a directory without files and links; empty: it is gone, a link, or closed to this user. */
  searched(directory: string): readonly SearchedEntry[] {
    const { noFollow, directory: only } = OWN_OPEN_FLAGS;
    const isSearched = (kind: DirectoryEntry["kind"]) => kind !== "file" && kind !== "link";
    return this.#entriesOf(directory, isSearched, noFollow | only)
      // Some file systems do not report the kind of an entry.
      .map((entry) =>
        entry.kind === undefined ? { ...entry, kind: this.lookAt(`${directory}/${entry.name}`)?.kind } : entry
      )
      .filter((entry): entry is SearchedEntry => entry.kind === "directory" || entry.kind === "other");
  }

  /** The numeric names in a directory of /proc. */
  #numbersIn(path: string): readonly number[] {
    return this.#entriesOf(path).map(({ name }) => Number(name)).filter(Number.isInteger);
  }

  #entriesOf(path: string, wanted?: (kind: DirectoryEntry["kind"]) => boolean, flags = 0): readonly DirectoryEntry[] {
    return this.#withOpen(path, (fd) => {
      const buffer = this.#buffer ??= new Uint8Array(Number(BUFFER_BYTES));
      const number = BigInt(OWN_CALLS.getdents64);
      const { directory } = this.#listings.symbols;
      return listEntries(buffer, (into) => directory(number, BigInt(fd), into, BUFFER_BYTES), {
        ...wanted !== undefined && { wanted },
      });
    }, flags) ?? [];
  }

  #withOpen<Result>(path: string, use: (fd: number) => Result, flags = 0): Result | undefined {
    const fd = this.#files.symbols.open(nameBytes(path + "\0"), O_CLOEXEC | flags);
    if (fd < 0) return undefined;
    try {
      return use(fd);
    } finally {
      this.#files.symbols.close(fd);
    }
  }

  /** Opens a file that Deno would refuse; the caller closes the descriptor. Undefined: it cannot be opened. */
  openDescriptor(path: string): number | undefined {
    const fd = this.#files.symbols.open(encodeText(path + "\0"), O_CLOEXEC);
    return fd < 0 ? undefined : fd;
  }

  /** A descriptor (O_PATH) of any file at `path`, also after a move; the caller closes it. Undefined: gone. */
  hold(path: string): number | undefined {
    const flags = O_PATH | O_CLOEXEC | OWN_OPEN_FLAGS.noFollow;
    const fd = this.#files.symbols.open(nameBytes(path + "\0"), flags);
    return fd < 0 ? undefined : fd;
  }

  /** The current path of a held file. If the file no longer has a name, nothing is at the path. */
  heldPath(fd: number): string {
    const buffer = new Uint8Array(4096);
    const length = Number(
      this.#listings.symbols.readlink(encodeText(`/proc/self/fd/${fd}\0`), buffer, BigInt(buffer.length)),
    );
    return nameText(buffer.subarray(0, Math.max(0, length)));
  }

  /** Facts about a held file; `links` 0: it has no name and cannot get one again. */
  heldFacts(fd: number): FileFacts | undefined {
    return this.#takeStat(`/proc/self/fd/${fd}`, 0n) ? factsOf(this.#stat, this.#statWords) : undefined;
  }

  /** Closes a descriptor made here. */
  closeDescriptor(fd: number): void {
    this.#files.symbols.close(fd);
  }

  [Symbol.dispose](): void {
    for (const library of [this.#questions, this.#files, this.#listings]) library[Symbol.dispose]();
  }
}
