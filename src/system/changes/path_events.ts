/**
 * Reads changes of names and files from the kernel (inotify(7)) without waiting. One call tells that nothing is new.
 * Each directory on a path is watched, from the root on, so that none can be exchanged or moved unnoticed. A change of
 * mounts counts as a change of everything.
 */
import { encodeText, words } from "../../base/text.ts";
import { errnoAt, LazyLibrary, LITTLE_ENDIAN } from "../c_library.ts";
import { type Event, eventsIn, IN_IGNORED, IN_Q_OVERFLOW, INOTIFY, NONBLOCK_CLOEXEC } from "../inotify.ts";
import { ENOENT, ENOTDIR, O_CLOEXEC, POLLIN } from "../syscalls.ts";
import { attempt } from "../../base/errors.ts";
import type { ChangeWatch, Watched } from "../stat_watch.ts";

const SYMBOLS = [...INOTIFY, ...words("open poll statfs readlink __errno_location")];

/** moved_from, moved_to, create, delete. They are added to an existing watch; links to directories are not followed. */
const NAMES = 0x40 | 0x80 | 0x100 | 0x200 | 0x0100_0000 | 0x0200_0000 | 0x2000_0000;
/** The same and modify, attrib, delete_self, move_self, close_write (also at the end of a mapping). */
const EVERYTHING = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800 | 0x0200_0000 | 0x2000_0000;
/** Room for a few hundred events; if there are more, everything counts as changed. */
const BATCH_BYTES = 16_384;
/** The system limits the watches of all programs of a user together, and editors need some too. */
const MOST_WATCHES = 4_096;
/** Local file systems, with an event for every change: ext, xfs, btrfs, tmpfs, f2fs, bcachefs (linux/magic.h). */
const LOCAL: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010, 0xca451a4e]);
/** Room for `struct statfs`; its first word is the type of the file system. */
const FACTS_BYTES = 256;

/** A listener for any event at its path. */
export interface Listener {
  notice(): void;
}

/** A file or directory that is watched. */
interface WatchedFile {
  readonly number: number;
  /** Listeners for the file itself and everything in it. */
  readonly all: Set<Listener>;
  /** Listeners by the lower-case name that they wait for, because some directories ignore case. */
  readonly names: Map<string, Set<Listener>>;
}

/** Where a listener is registered. */
interface Place {
  readonly watched: WatchedFile;
  readonly listeners: Set<Listener>;
  /** The name that it waits for in lower case; absent: it does not wait for a name. */
  readonly key?: string;
}

export class PathEvents implements Disposable {
  readonly #library = new LazyLibrary(SYMBOLS);
  readonly #descriptor: number;
  readonly #mounts: number;
  /** Two `struct pollfd`. The second requests no events: a change of mounts is reported as an error (proc(5)). */
  readonly #asked: Int32Array<ArrayBuffer>;
  readonly #answered: Int16Array<ArrayBuffer>;
  readonly #buffer = new Uint8Array(BATCH_BYTES);
  readonly #facts = new Uint8Array(FACTS_BYTES);
  readonly #watched = new Map<number, WatchedFile>();
  readonly #places = new Map<Listener, Place[]>();
  /** Watched directories by path, because many paths share them. An event clears the map. */
  readonly #directories = new Map<string, WatchedFile>();

  /** @throws {Error} When the C library, the kernel or /proc fails, as at the limit of inotify instances. */
  constructor() {
    const { inotify_init1, open } = this.#library.symbols;
    this.#descriptor = inotify_init1(NONBLOCK_CLOEXEC);
    this.#mounts = open(encodeText("/proc/self/mountinfo\0"), O_CLOEXEC);
    this.#asked = new Int32Array([this.#descriptor, POLLIN, this.#mounts, 0]);
    this.#answered = new Int16Array(this.#asked.buffer);
    if (this.#descriptor < 0 || this.#mounts < 0) {
      this[Symbol.dispose]();
      throw new Error("The system does not tell of changes (see fs.inotify.max_user_instances)");
    }
  }

  [Symbol.dispose](): void {
    const { close } = this.#library.symbols;
    for (const one of [this.#descriptor, this.#mounts]) if (one >= 0) close(one);
    this.#library[Symbol.dispose]();
  }

  /** Tells each listener whose path changed since the last look. */
  look(): void {
    if (this.#library.symbols.poll(this.#asked, 2n, 0) === 0) return;
    this.#directories.clear();
    const [, , , happened, , , , mounted] = this.#answered;
    if (mounted !== 0) this.#tellAll();
    if (happened !== 0) this.#read();
  }

  /** Reports changes of the name (`inside`: of the file). False: some are missed. Look at the path afterwards. */
  add(listener: Listener, path: string, { inside }: { readonly inside: boolean }): boolean {
    this.remove(listener);
    const places: Place[] = [];
    this.#places.set(listener, places);
    let above = "";
    for (const name of path.slice(1).split("/")) {
      const watched = this.#directory(above === "" ? "/" : above);
      if (watched === "missing") return true; // the names above wait for it
      if (watched === undefined) return false;
      const key = name.toLowerCase();
      const listeners = watched.names.get(key) ?? new Set();
      watched.names.set(key, listeners.add(listener));
      places.push({ watched, listeners, key });
      above = `${above}/${name}`;
    }
    if (!inside) return true;
    const watched = this.#watch(path, EVERYTHING);
    if (watched === undefined || watched === "missing") return watched === "missing";
    places.push({ watched, listeners: watched.all.add(listener) });
    return true;
  }

  /** Stops telling `listener`. */
  remove(listener: Listener): void {
    for (const { watched, listeners, key } of this.#places.get(listener) ?? []) {
      listeners.delete(listener);
      if (key !== undefined && listeners.size === 0) watched.names.delete(key);
      if (watched.all.size > 0 || watched.names.size > 0 || !this.#watched.delete(watched.number)) continue;
      this.#directories.clear();
      this.#library.symbols.inotify_rm_watch(this.#descriptor, watched.number);
    }
    this.#places.delete(listener);
  }

  #directory(path: string): WatchedFile | "missing" | undefined {
    const known = this.#directories.get(path);
    if (known !== undefined) return known;
    const watched = this.#watch(path, NAMES);
    if (typeof watched === "object") this.#directories.set(path, watched);
    return watched;
  }

  /** Missing: there is nothing, or it is not a directory. Undefined: the system would not report every change there. */
  #watch(path: string, mask: number): WatchedFile | "missing" | undefined {
    const { inotify_add_watch, statfs, readlink, __errno_location } = this.#library.symbols;
    const name = encodeText(`${path}\0`);
    const isKnown = statfs(name, this.#facts) === 0;
    if (isKnown && !LOCAL.has(new DataView(this.#facts.buffer).getUint32(0, LITTLE_ENDIAN))) return undefined;
    if (this.#watched.size >= MOST_WATCHES) return undefined;
    const number = inotify_add_watch(this.#descriptor, name, mask);
    if (number < 0) {
      const error = errnoAt(__errno_location());
      if (error === ENOENT) return "missing";
      // A link on the way leads elsewhere.
      const isLink = () => Number(readlink(name, this.#facts, BigInt(FACTS_BYTES))) >= 0;
      return error === ENOTDIR && !isLink() ? "missing" : undefined;
    }
    const watched = this.#watched.get(number) ?? { number, all: new Set(), names: new Map() };
    this.#watched.set(number, watched);
    return watched;
  }

  #read(): void {
    const read = () => Number(this.#library.symbols.read(this.#descriptor, this.#buffer, BigInt(BATCH_BYTES)));
    const length = read();
    for (const event of eventsIn(this.#buffer.subarray(0, Math.max(0, length)))) this.#tell(event);
    if (read() <= 0) return;
    this.#tellAll();
    while (read() > 0);
  }

  #tell({ watch, mask, name }: Event): void {
    if ((mask & IN_Q_OVERFLOW) !== 0) return this.#tellAll();
    const watched = this.#watched.get(watch);
    if (watched === undefined) return;
    const isOver = (mask & IN_IGNORED) !== 0;
    const named = isOver ? [...watched.names.values()] : [watched.names.get(name.toLowerCase()) ?? []];
    if (isOver) this.#watched.delete(watch);
    for (const listeners of [watched.all, ...named]) for (const one of listeners) one.notice();
  }

  #tellAll(): void {
    for (const one of this.#places.keys()) one.notice();
  }
}

/** Makes a watch that compares the facts of paths. */
export type MakeWatch = (paths: readonly string[], watched: Watched) => ChangeWatch;

/** The watches of a session, by events. Paths that the kernel cannot watch are compared as usual. */
export class NoticedWatches implements Disposable {
  readonly #make: MakeWatch;
  /** Undefined: not used yet, or this system does not offer it. */
  #events: PathEvents | undefined;
  #isAsked = false;

  constructor(make: MakeWatch) {
    this.#make = make;
  }

  [Symbol.dispose](): void {
    this.#events?.[Symbol.dispose]();
  }

  /** Gives the same result as polling. */
  watch(paths: readonly string[], watched: Watched = "everything"): ChangeWatch {
    if (!this.#isAsked) {
      this.#isAsked = true;
      this.#events = Deno.build.os === "linux" ? attempt(Error, () => new PathEvents()) : undefined;
    }
    const make = (some: readonly string[]) => this.#make(some, watched);
    return this.#events === undefined ? make(paths) : new NoticedWatch(paths, {
      events: this.#events,
      make,
      inside: watched !== "identity",
    });
  }
}

interface NoticedWatchOptions {
  readonly events: PathEvents;
  readonly make: (paths: readonly string[]) => ChangeWatch;
  /** Whether the file at a path counts, too. */
  readonly inside: boolean;
}

/** A watched path, which passes its events to its watch. */
interface Spot {
  readonly path: string;
  notice(): void;
}

class NoticedWatch implements ChangeWatch {
  readonly #options: NoticedWatchOptions;
  readonly #whole: ChangeWatch;
  readonly #spots: readonly Spot[];
  /** Spots that may have changed; at first all of them. */
  readonly #due: Set<Spot>;
  /** Spots whose changes the kernel does not report. */
  readonly #unnoticed = new Set<Spot>();
  /** Watches these spots by comparison; undefined: there are none. */
  #rest: ChangeWatch | undefined;

  constructor(paths: readonly string[], options: NoticedWatchOptions) {
    this.#options = options;
    this.#whole = options.make(paths);
    this.#spots = paths.map((path) => {
      const spot: Spot = { path, notice: () => this.#due.add(spot) };
      return spot;
    });
    this.#due = new Set(this.#spots);
  }

  isUnchanged(): boolean {
    const { events, make, inside } = this.#options;
    events.look();
    if (this.#due.size === 0) return this.#rest?.isUnchanged() ?? true;
    for (const spot of this.#due) {
      this.#due.delete(spot);
      if (events.add(spot, spot.path, { inside })) this.#unnoticed.delete(spot);
      else this.#unnoticed.add(spot);
    }
    this.#rest = this.#unnoticed.size === 0 ? undefined : make(Array.from(this.#unnoticed, ({ path }) => path));
    // Both look after the kernel began to report changes, so that no change is missed.
    this.#rest?.isUnchanged();
    return this.#whole.isUnchanged();
  }

  close(): void {
    for (const spot of this.#spots) this.#options.events.remove(spot);
    this.#due.clear();
  }
}
