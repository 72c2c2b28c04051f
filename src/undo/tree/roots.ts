/** The directories of a project, each held open, so that no path below them passes a link. */
import type { OpenFiles } from "../../system/open_files/file_calls.ts";
import { isWithin, parentOf } from "../../system/paths.ts";

export interface Root {
  /** Canonical. */
  readonly path: string;
  /** Open. */
  readonly directory: number;
}

/** A path as its open directory and the name in it. */
export interface Spot {
  readonly directory: number;
  readonly name: string;
}

/** The bytes of an open file, which is dropped; undefined: it is not a file, or larger than `most`. */
export function smallContent(files: OpenFiles, fd: number | undefined, most: bigint): Uint8Array | undefined {
  return files.with(fd, (open) => {
    const stat = files.stat(open, "");
    return stat?.kind === "file" && stat.size <= most ? files.read(open, stat.size) : undefined;
  });
}

export class Roots {
  readonly all: readonly Root[];
  readonly #files: OpenFiles;

  constructor(files: OpenFiles, roots: readonly Root[]) {
    this.#files = files;
    this.all = roots.filter(({ path }) => !roots.some((other) => other.path !== path && isWithin(path, other.path)));
  }

  /** The directory that holds a path; undefined: none does. */
  of(path: string): Root | undefined {
    return this.all.find((root) => isWithin(path, root.path));
  }

  /** Opens a directory of the tree; undefined: it does not exist, or may not be entered. The caller drops it. */
  directory(path: string): number | undefined {
    const root = this.of(path);
    return root && this.#files.directoryBelow(root.directory, path.slice(root.path.length + 1) || ".");
  }

  /** Calls back with the directory that holds a path; undefined: there is none. */
  at<Result>(path: string, work: (spot: Spot) => Result): Result | undefined {
    const root = this.of(path);
    if (root === undefined) return undefined;
    if (root.path === path) return work({ directory: root.directory, name: "" });
    const parent = parentOf(path);
    const name = path.slice(parent.length + 1);
    return this.#files.with(this.directory(parent), (directory) => work({ directory, name }));
  }
}
