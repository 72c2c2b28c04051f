/** Looks for the files of sockets below directories, by their numbers, one directory after the other. */
import type { SearchedEntry } from "../../../system/libc.ts";

/** What is in a directory but for files and links; empty: it is gone, or closed to this user. */
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

  /** `files`: the lower 32 bits of the numbers that are wanted. */
  constructor(trees: readonly string[], files: ReadonlySet<number>, list: ListDirectory) {
    this.#directories = [...trees];
    this.#files = files;
    this.#list = list;
  }

  /** Paths that may be what is wanted: the files of other devices have the same numbers. */
  get found(): readonly string[] {
    return this.#found;
  }

  /** Whether there is nothing more to look into. */
  get isWhole(): boolean {
    return this.#looked >= this.#directories.length;
  }

  /** Goes on for so many milliseconds, but for a few directories at least. */
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
