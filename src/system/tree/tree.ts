/** A directory tree by relative names. Every access starts at the open root and follows no link. */
import type { DirectoryEntry, EntryKind } from "../c_library.ts";
import type { OpenFiles, Stat } from "../open_files/file_calls.ts";
import { expected } from "../paths.ts";

/** The place that a path leads to. */
export interface Place {
  /** Absolute, without links. */
  readonly path: string;
  /** The path in results: relative to the first scope if it lies in it. */
  readonly shown: string;
  /** The directory of the project that contains it. */
  readonly root: string;
}

interface TreeParts {
  readonly place: Place;
  readonly from: string;
  readonly files: OpenFiles;
  /** The open root. */
  readonly directory: number;
  readonly end: () => void;
}

/** An entry whose kind is known. */
export interface TreeEntry extends Omit<DirectoryEntry, "file"> {
  readonly kind: EntryKind;
}

export class Tree implements Disposable {
  /** The requested directory. */
  readonly place: Place;
  /** Its path relative to the root; empty: the root itself. */
  readonly from: string;
  readonly #parts: TreeParts;

  constructor(parts: TreeParts) {
    this.place = parts.place;
    this.from = parts.from;
    this.#parts = parts;
  }

  /** Converts a path relative to the requested directory into one relative to the root. */
  fromRoot(path: string): string {
    return this.from === "" ? path : `${this.from}/${path}`;
  }

  /** Converts a path relative to the root into one relative to the requested directory. */
  fromHere(path: string): string {
    return path.slice(this.from === "" ? 0 : this.from.length + 1);
  }

  /** The path in results of a path below the requested directory. */
  shown(path: string): string {
    return this.place.shown === "." ? path : `${this.place.shown}/${path}`;
  }

  /** The entries of a directory, unordered; undefined: it is no longer a directory, or may not be read. */
  entries(path: string): readonly TreeEntry[] | undefined {
    const { files, directory } = this.#parts;
    const found = files.with(files.directoryBelow(directory, path || "."), (fd) => files.entries(fd));
    return found?.map(({ name, kind }) => ({
      name,
      kind: kind ?? this.#kindOf(path === "" ? name : `${path}/${name}`),
    }));
  }

  /** Facts about a file; a link is not followed. Undefined: it is gone. */
  stat(path: string): Stat | undefined {
    const { files, directory } = this.#parts;
    return files.stat(directory, path || ".");
  }

  /** Whether it is a regular file. */
  isFile(path: string): boolean {
    return this.#kindOf(path) === "file";
  }

  /** When the content of a file was last written, milliseconds since 1970; undefined: it is gone. */
  changedAt(path: string): number | undefined {
    const { files, directory } = this.#parts;
    return files.writtenAt(directory, path || ".");
  }

  /** The target of a link; undefined: it is no longer a link. */
  target(path: string): string | undefined {
    return expected(() => Deno.readLinkSync(`${this.place.root}/${path}`));
  }

  /** The content of a regular file of at most `most` bytes; undefined: it is not one, is longer, or may not be read. */
  read(path: string, most: number): Uint8Array<ArrayBuffer> | undefined {
    const { files, directory } = this.#parts;
    return files.with(files.fileBelow(directory, path), (fd) => {
      const stat = files.stat(fd, "");
      return stat?.kind === "file" && stat.size <= most ? files.read(fd, stat.size) : undefined;
    });
  }

  [Symbol.dispose](): void {
    this.#parts.end();
  }

  #kindOf(path: string): EntryKind {
    return this.stat(path)?.kind ?? "other";
  }
}
