/** Notices new names in large trees (inotify(7)). Directories are watched before they are listed. */
import { words } from "../../base/text.ts";
import { nameBytes } from "../../base/bytes.ts";
import { type DirectoryEntry, errnoAt, LazyLibrary, listEntries } from "../c_library.ts";
import { type Event, eventsIn, IN_IGNORED, IN_Q_OVERFLOW, INOTIFY, NONBLOCK_CLOEXEC } from "../inotify.ts";
import { expected } from "../paths.ts";
import { ENOENT, ENOTDIR, O_CLOEXEC, O_NONBLOCK, OWN_CALLS, OWN_OPEN_FLAGS } from "../syscalls.ts";

const SYMBOLS = [...INOTIFY, ...words("open directory __errno_location")];

/** moved_to and create. They are added to an existing watch; links to directories are not followed. */
const NAMES = 0x80 | 0x100 | 0x0100_0000 | 0x0200_0000 | 0x2000_0000;
/** The same and modify, attrib, close_write. */
const CONTENTS = NAMES | 0x2 | 0x4 | 0x8;
const IN_ISDIR = 0x4000_0000;
const BATCH_BYTES = 65_536;
/** At most this many directories are searched at each look because the system does not watch them. */
const MOST_UNWATCHED = 2_048;

export interface TreeEventsOptions {
  /** Names whose appearance counts. A directory with the first of them is not entered by that name. */
  readonly names: readonly [string, ...string[]];
  /** Whether directories of this name are left out at first. */
  readonly isLeftOut: (name: string) => boolean;
  /** At most this many directories are watched; the system limits the watches of all programs of a user together. */
  readonly most: number;
}

/** What appeared since the last look. */
export interface Appeared {
  /** Directories that hold at least one of the names, and in which one appeared. */
  readonly directories: ReadonlySet<string>;
  /** Followed directories in which anything changed. */
  readonly followed: ReadonlySet<string>;
  /** Directories that this user cannot list. */
  readonly unclear: ReadonlySet<string>;
}

/** A directory by its watch descriptor. */
interface Watched {
  readonly path: string;
  /** The followed directory that this one belongs to. Undefined: it belongs to a tree. */
  readonly of: string | undefined;
}

export class TreeEvents implements Disposable {
  readonly #options: TreeEventsOptions;
  readonly #library = new LazyLibrary(SYMBOLS);
  /** The inotify instance. Negative: the system offers none, and each look searches all trees. */
  readonly #descriptor: number;
  readonly #buffer = new Uint8Array(BATCH_BYTES);
  readonly #roots = new Set<string>();
  readonly #watched = new Map<number, Watched>();
  /** Directories that the system does not watch, so each look searches them. */
  readonly #unwatched = new Set<string>();
  /** Directories that have not been searched yet. */
  readonly #pending = new Set<string>();
  #leavesOut = true;
  #isComplete = true;
  #found = emptyFound();

  /** @throws {Error} When the C library is not found. */
  constructor(options: TreeEventsOptions) {
    this.#options = options;
    this.#descriptor = this.#library.symbols.inotify_init1(NONBLOCK_CLOEXEC);
  }

  [Symbol.dispose](): void {
    if (this.#descriptor >= 0) this.#library.symbols.close(this.#descriptor);
    this.#library[Symbol.dispose]();
  }

  /** False: there are more directories than can be watched. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Watches a tree and treats all names in it as new. Other work runs in between. */
  async add(root: string): Promise<void> {
    this.#roots.add(root);
    this.#pending.add(root);
    await this.explore();
  }

  /** Searches directories that appeared, so that the next look reports them. Other work runs in between. */
  async explore(): Promise<void> {
    const turns = new Turns();
    const entered = new Set(this.#pending); // grows meanwhile
    this.#pending.clear();
    for (const path of entered) {
      for (const below of this.#enter(path)) entered.add(below);
      await turns.end();
    }
  }

  /** Follows changes in a directory and those `below`, reported by the path of `directory`. */
  follow(directory: string, below: readonly string[]): void {
    for (const path of [directory, ...below.map((name) => `${directory}/${name}`)]) {
      const number = this.#addWatch(path, CONTENTS);
      if (number >= 0) this.#watched.set(number, { path, of: directory });
      else if (!isGone(this.#errno())) this.#isComplete = false;
    }
  }

  /** From now on also enters directories that were left out. */
  async leaveOutNothing(): Promise<void> {
    if (!this.#leavesOut) return;
    this.#leavesOut = false;
    for (const root of this.#roots) await this.add(root);
  }

  /** What appeared since the last look; undefined: nothing, and there is nothing to explore. */
  look(): Appeared | undefined {
    this.#plan(this.#descriptor < 0 ? this.#roots : this.#unwatched);
    for (;;) {
      const length = Number(this.#library.symbols.read(this.#descriptor, this.#buffer, BigInt(BATCH_BYTES)));
      if (length <= 0) break;
      for (const event of eventsIn(this.#buffer.subarray(0, length))) this.#take(event);
    }
    const { directories, followed, unclear } = this.#found;
    if (directories.size + followed.size + unclear.size + this.#pending.size === 0) return undefined;
    this.#found = emptyFound();
    return { directories, followed, unclear };
  }

  #plan(paths: Iterable<string>): void {
    for (const path of paths) this.#pending.add(path);
  }

  #take({ watch, mask, name }: Event): void {
    if ((mask & IN_Q_OVERFLOW) !== 0) {
      for (const { of } of this.#watched.values()) if (of !== undefined) this.#found.followed.add(of);
      return this.#plan(this.#roots);
    }
    const watched = this.#watched.get(watch);
    if (watched === undefined) return;
    if ((mask & IN_IGNORED) !== 0) return void this.#watched.delete(watch);
    const { path, of } = watched;
    if (of !== undefined) return void this.#found.followed.add(of);
    if (this.#options.names.includes(name)) this.#found.directories.add(path);
    const isEntered = (mask & IN_ISDIR) !== 0 && name !== "" && !this.#isLeftOut(name);
    if (isEntered) this.#pending.add(`${path}/${name}`);
  }

  /** Watches and lists a directory. Returns the directories in it that are still to be entered. */
  #enter(path: string): readonly string[] {
    const { names, most } = this.#options;
    const number = this.#watched.size < most ? this.#addWatch(path, NAMES) : -1;
    const error = number < 0 ? this.#errno() : 0;
    if (number >= 0) {
      this.#watched.set(number, { path, of: undefined });
      this.#unwatched.delete(path);
    } else if (this.#watched.size < most && isGone(error)) {
      this.#unwatched.delete(path);
      return [];
    } else if (this.#unwatched.has(path) || this.#unwatched.size < MOST_UNWATCHED) this.#unwatched.add(path);
    else {
      this.#isComplete = false;
      return [];
    }
    const entries = this.list(path);
    if (entries === undefined && !isOwn(path)) return this.#forget(path);
    if (entries === undefined) this.#found.unclear.add(path);
    // A program that knows a name can still enter a directory that cannot be listed.
    if (entries === undefined || entries.some(({ name }) => names.includes(name))) this.#found.directories.add(path);
    return (entries ?? []).flatMap(({ name, kind }) =>
      (kind === "directory" || kind === undefined) && !this.#isLeftOut(name) ? [`${path}/${name}`] : []
    );
  }

  /** Commands cannot change a directory that the server's user can neither list nor owns. */
  #forget(path: string): readonly string[] {
    this.#unwatched.delete(path);
    return [];
  }

  #isLeftOut(name: string): boolean {
    const { names: [first], isLeftOut } = this.#options;
    return name === first || this.#leavesOut && isLeftOut(name);
  }

  #addWatch(path: string, mask: number): number {
    return this.#library.symbols.inotify_add_watch(this.#descriptor, nameBytes(`${path}\0`), mask);
  }

  #errno(): number {
    return errnoAt(this.#library.symbols.__errno_location());
  }

  /** The entries of a directory; a link is not followed. Undefined: it cannot be listed. */
  list(path: string): readonly DirectoryEntry[] | undefined {
    const { open, directory: list, close } = this.#library.symbols;
    const { directory, noFollow } = OWN_OPEN_FLAGS;
    const fd = open(nameBytes(`${path}\0`), directory | noFollow | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return isGone(this.#errno()) ? [] : undefined;
    const number = BigInt(OWN_CALLS.getdents64);
    const found = listEntries(this.#buffer, (into) => list(number, BigInt(fd), into, BigInt(BATCH_BYTES)));
    close(fd);
    return found;
  }
}

function emptyFound() {
  return { directories: new Set<string>(), followed: new Set<string>(), unclear: new Set<string>() };
}

function isOwn(path: string): boolean {
  const uid = Deno.uid();
  return uid === 0 || expected(() => Deno.lstatSync(path).uid) === uid;
}

/** Nothing is there, or no directory. */
function isGone(error: number): boolean {
  return error === ENOENT || error === ENOTDIR;
}

/** Long work on the server's thread, in turns with other work: nothing else is served meanwhile. */

const LONGEST_TURN_MS = 20;

/** Splits long work on the server's thread into turns, so that other work runs in between. */
export class Turns {
  #begun = performance.now();

  /** Must be called between two steps; lets other work run if this turn was long. */
  async end(): Promise<void> {
    if (performance.now() < this.#begun + LONGEST_TURN_MS) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#begun = performance.now();
  }
}
