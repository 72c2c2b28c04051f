/**
 * A directory and all below it, by names from the root that holds it. Every access begins at the open root and passes
 * no link, so that a link swapped in at the same time leads nowhere.
 */
import type { DirectoryEntry, EntryKind } from "../c_library.ts";
import type { OpenFiles, Stat } from "../open_files/file_calls.ts";
import { expected } from "../paths.ts";

/** Where a path leads. */
export interface Place {
  /** Absolute, no link in it. */
  readonly path: string;
  /** As results name it: relative to the first scope where it lies in it. */
  readonly shown: string;
  /** The directory of the project that holds it. */
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

  /** A path below the directory that was asked for, seen from the root. */
  fromRoot(path: string): string {
    return this.from === "" ? path : `${this.from}/${path}`;
  }

  /** A path from the root, seen from the directory that was asked for. */
  fromHere(path: string): string {
    return path.slice(this.from === "" ? 0 : this.from.length + 1);
  }

  /** A path below the directory that was asked for, as answers name it. */
  shown(path: string): string {
    return this.place.shown === "." ? path : `${this.place.shown}/${path}`;
  }

  /** The entries of a directory, unordered; undefined: it is no longer a directory, or may not be read. */
  entries(path: string): readonly TreeEntry[] | undefined {
    const { files, directory } = this.#parts;
    const fd = files.directoryBelow(directory, path || ".");
    if (fd === undefined) return undefined;
    const found = files.entries(fd);
    files.drop(fd);
    return found.map(({ name, kind }) => ({
      name,
      kind: kind ?? this.#kindOf(path === "" ? name : `${path}/${name}`),
    }));
  }

  /** Facts about a file, a link not followed; undefined: it is gone. */
  stat(path: string): Stat | undefined {
    const { files, directory } = this.#parts;
    return files.stat(directory, path || ".");
  }

  /** Whether a regular file is there. */
  isFile(path: string): boolean {
    return this.#kindOf(path) === "file";
  }

  /** When the content of a file was last written, milliseconds since 1970; undefined: it is gone. */
  changedAt(path: string): number | undefined {
    const { files, directory } = this.#parts;
    return files.writtenAt(directory, path || ".");
  }

  /** The text of a link; undefined: it is no longer a link. */
  target(path: string): string | undefined {
    return expected(() => Deno.readLinkSync(`${this.place.root}/${path}`));
  }

  /** The content of a regular file of at most `most` bytes; undefined: it is not one, is longer, or may not be read. */
  read(path: string, most: number): Uint8Array<ArrayBuffer> | undefined {
    const { files, directory } = this.#parts;
    const fd = files.fileBelow(directory, path);
    if (fd === undefined) return undefined;
    const stat = files.stat(fd, "");
    const isFile = stat !== undefined && stat.kind === "file" && stat.size <= most;
    const content = isFile ? files.read(fd, stat.size) : undefined;
    files.drop(fd);
    return content;
  }

  [Symbol.dispose](): void {
    this.#parts.end();
  }

  #kindOf(path: string): EntryKind {
    return this.stat(path)?.kind ?? "other";
  }
}
