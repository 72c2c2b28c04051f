/** Looks for the files of sockets below directories, by their numbers, one directory after the other. */
import type { SearchedEntry } from "../../../system/libc.ts";

/** Entries of a directory other than files and links; empty: it is gone, or closed to this user. */
export type ListDirectory = (path: string) => readonly SearchedEntry[];

/** Between two looks at the clock. */
const DIRECTORIES = 32;

export class SocketSearch {
  readonly #found: string[] = [];
  readonly #files: ReadonlySet<number>;
  readonly #list: ListDirectory;
  /** Those of the next level come last. */
  readonly #directories: string[];
  #looked = 0;

  /** `files`: the lower 32 bits of the wanted inode numbers. */
  constructor(trees: readonly string[], files: ReadonlySet<number>, list: ListDirectory) {
    this.#directories = [...trees];
    this.#files = files;
    this.#list = list;
  }

  /** Candidate paths: files of other devices may have the same numbers. */
  get found(): readonly string[] {
    return this.#found;
  }

  /** Whether the search is complete. */
  get isWhole(): boolean {
    return this.#looked >= this.#directories.length;
  }

  /** Continues for this many milliseconds, but for a few directories at least. */
  goOn(mostMs: number): this {
    const until = performance.now() + mostMs;
    do {
      for (let count = 0; count < DIRECTORIES && !this.isWhole; count++) this.#look(this.#directories[this.#looked++]);
    } while (!this.isWhole && performance.now() < until);
    return this;
  }

  #look(directory = ""): void {
    for (const { name, kind, file } of this.#list(directory)) {
      const path = `${directory}/${name}`;
      if (kind === "directory") this.#directories.push(path);
      else if (this.#files.has(file)) this.#found.push(path);
    }
  }
}
