/** Looks for the files of sockets below directories, by their numbers, one directory after the other. */
import type { SearchedEntry } from "../../../system/libc.ts";
import type { SocketSystem } from "../../tree/socket_owner.ts";
import type { ListeningSocket } from "../../../system/unix_sockets.ts";

/** Entries of a directory other than files and links; empty: it is gone, or closed to this user. */
export type ListDirectory = (path: string) => readonly SearchedEntry[];

/** Directories between two checks of the clock. */
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

/** Names that mean different files for each program. */
const OWN = /^\/(?:proc\/(?:thread-)?self|dev(?=\/fd\/))\/(.*)$/s;

/** Whether the name means different files for each program. */
export function isOwnName(name: string): boolean {
  return OWN.test(name);
}

/** The name from the directory or descriptors of each holder, which follow moves. Empty: it is the same for all. */
export function namesByHolders(
  { name, socket }: Pick<ListeningSocket, "name" | "socket">,
  system: Pick<SocketSystem, "processes" | "socketsOf">,
): readonly string[] {
  const own = OWN.exec(name)?.[1];
  if (name === "" || name.startsWith("/") && own === undefined) return [];
  return system.processes().filter((pid) => system.socketsOf(pid).includes(socket))
    .map((pid) => `/proc/${pid}/${own ?? `cwd/${name}`}`);
}
