/** Detects changes of fixed paths, by undecoded results of `Libc.lookAt`, in a quarter of the time. */

import { encodeText } from "../base/text.ts";
import { parentOf } from "./paths.ts";

/** `lstat` of the NUL-terminated name into `struct stat`; false when there is nothing, or it is out of reach. */
export type StatInto = (name: Uint8Array<ArrayBuffer>, stat: BigUint64Array<ArrayBuffer>) => boolean;

/** `struct stat` in 32-bit words, on both processors. */
const STAT_WORDS = 64;
/** Device, inode, mode, owner, links (either processor), size, change time: programs cannot set these. */
const TELLING = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 26, 27, 28, 29] as const;
/** Of the time of change; its seconds fit one word until 2106. */
const SECONDS = 26;
const NANOSECONDS = 28;
/** Of these, device and inode. */
const IDENTITY = [0, 1, 2, 3] as const;

/** Changes that count. `everything`: any fact. `identity`: another file. `absence`: any fact, if missing. */
export type Watched = "everything" | "identity" | "absence";

/** Tells whether anything changed since the last comparison; the first call returns false. */
export interface ChangeWatch {
  isUnchanged(): boolean;
  /** Frees its resources; absent: it has none. */
  close?(): void;
}

export class PathWatch {
  readonly #names: readonly Uint8Array<ArrayBuffer>[];
  readonly #look: StatInto;
  readonly #telling: readonly number[];
  readonly #stat = new BigUint64Array(STAT_WORDS / 2);
  readonly #words = new Uint32Array(this.#stat.buffer);
  /** Facts of each path at the last comparison; all zero: missing. */
  readonly #last: Uint32Array;
  #looked = false;

  constructor(paths: readonly string[], look: StatInto, watched: Exclude<Watched, "absence">) {
    this.#names = paths.map((path) => encodeText(path + "\0"));
    this.#look = look;
    this.#telling = watched === "identity" ? IDENTITY : TELLING;
    this.#last = new Uint32Array(paths.length * this.#telling.length);
  }

  /** When the first path last changed, milliseconds since 1970; 0: nothing was there. */
  get changedAt(): number {
    const at = (word: number) => this.#last[this.#telling.indexOf(word)] ?? 0;
    return at(SECONDS) * 1000 + at(NANOSECONDS) / 1e6;
  }

  /** Compares every path with the last comparison; the first call returns false. */
  isUnchanged(): boolean {
    let same = this.#looked;
    this.#looked = true;
    let at = 0;
    for (const name of this.#names) {
      const found = this.#look(name, this.#stat);
      for (const word of this.#telling) {
        const value = found ? this.#words[word] ?? 0 : 0;
        if (this.#last[at] !== value) {
          this.#last[at] = value;
          same = false;
        }
        at++;
      }
    }
    return same;
  }
}

/** Changes closer together than this may have the same time, because the kernel's clock ticks up to 10 ms apart. */
const SETTLED_MS = 100;

/** A watch of some paths. */
type Watching = (paths: readonly string[]) => PathWatch;

/** Watches missing names by one look at their directory, as long as its entries do not change. */
export class AbsenceWatch {
  readonly #groups: readonly { readonly directory: PathWatch; readonly names: PathWatch; settled: boolean }[];
  readonly #now: () => number;

  constructor(paths: readonly string[], watching: Watching, now: () => number = Date.now) {
    this.#now = now;
    this.#groups = Map.groupBy(paths, parentOf).entries().map(([directory, names]) => ({
      directory: watching([directory]),
      names: watching(names),
      settled: false,
    })).toArray();
  }

  /** Whether no name changed since the last comparison; the first call returns false. */
  isUnchanged(): boolean {
    let same = true;
    for (const group of this.#groups) {
      const wasSettled = group.settled;
      const now = this.#now();
      const unchanged = group.directory.isUnchanged();
      group.settled = group.directory.changedAt < now - SETTLED_MS;
      // An entry made in the same clock tick as the last look would not change the time.
      if (!(unchanged && wasSettled) && !group.names.isUnchanged()) same = false;
    }
    return same;
  }
}
