/**
 * What a command would have changed, by its upper layer (overlayfs): files, devices 0:0 for removed paths, directories
 * that hide. The layer may be hostile: it is walked by descriptors, without links, and other entries are left out.
 */
import { UserError } from "../../base/errors.ts";
import type { FileFactsCalls } from "../../system/open_files/file_facts.ts";
import type { OpenFiles } from "../../system/open_files/file_calls.ts";
import type { Change } from "../model/change.ts";
import { type Entry, isSame, type State } from "../model/entry.ts";
import type { Left } from "../model/plan.ts";
import { factsOf, GIT, UNDO_DRAFT } from "../tree/looking.ts";
import type { Roots } from "../tree/roots.ts";
import { hashOf } from "../store/objects.ts";

/** The system calls, and the tree as it is. */
export interface LayerParts {
  readonly files: OpenFiles;
  readonly facts: FileFactsCalls;
  readonly roots: Roots;
  /** Why a path is never applied; undefined: it may be. */
  readonly whyLeft: (path: string) => string | undefined;
}

/** A view's layer. */
export interface Layer {
  /** Canonical, of the tree. */
  readonly path: string;
  /** The open directory that holds what was written. */
  readonly upper: number;
  /** When the view was created, nanoseconds since 1970, by the clock of files. */
  readonly begun: bigint;
}

export interface Seen {
  readonly changes: readonly Change[];
  readonly left: readonly Left[];
  /** Paths that others changed while the command ran. */
  readonly stale: readonly string[];
}

const FILE_TYPE = 0o170000;
const CHARACTER_DEVICE = 0o020000;
const MOST_CHANGES = 200_000;
/** Longer files are compared by content only if both have one size. */
const COMPARED_BYTES = 256 * 1024;
const NOT_KEPT = "pipes, sockets and devices are left out";

/** Reads a layer whose command has ended. @throws {UserError} When it has too many paths. */
export function readLayer(parts: LayerParts, layer: Layer): Seen {
  return new LayerReader(parts, layer).read();
}

class LayerReader {
  readonly #parts: LayerParts;
  readonly #layer: Layer;
  readonly #changes: Change[] = [];
  readonly #left: Left[] = [];
  readonly #stale: string[] = [];
  /** Of the tree itself. */
  readonly #device: string | undefined;

  constructor(parts: LayerParts, layer: Layer) {
    this.#parts = parts;
    this.#layer = layer;
    this.#device = deviceOf(stateAt(parts, layer.path));
  }

  read(): Seen {
    const { files } = this.#parts;
    const { path: top, upper } = this.#layer;
    const waiting = [{ below: "", hides: false }];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const { below } = at;
      const path = below === "" ? top : `${top}/${below}`;
      const fd = files.directoryBelow(upper, below || ".");
      if (fd === undefined) {
        this.#left.push({ path, reason: "it cannot be listed" });
        continue;
      }
      const hides = at.hides || this.#parts.facts.attribute(fd, "user.overlay.opaque") === "y";
      const names = files.entries(fd).map(({ name }) => name);
      for (const name of names) {
        const isDirectory = this.#entry({ directory: fd, name }, `${path}/${name}`);
        if (isDirectory) waiting.push({ below: below === "" ? name : `${below}/${name}`, hides });
      }
      files.drop(fd);
      if (hides) {
        for (const name of this.#lowerNames(path)) if (!names.includes(name)) this.#gone(`${path}/${name}`);
      }
    }
    return { changes: this.#changes, left: this.#left, stale: this.#stale };
  }

  /** Whether it is a directory that is entered. */
  #entry(spot: { readonly directory: number; readonly name: string }, path: string): boolean {
    const reason = this.#whyLeft(path);
    if (reason !== undefined) {
      this.#left.push({ path, reason });
      return false;
    }
    const stat = this.#parts.files.stat(spot.directory, spot.name);
    if (stat === undefined) return false;
    const before = this.#lower(path);
    const after = factsOf(stat);
    if (this.#isMounted(path, before)) return false;
    // Commands cannot create devices, so one that is not in the tree means that a path was removed.
    if (after.kind === "other" && (stat.mode & FILE_TYPE) === CHARACTER_DEVICE && before?.kind !== "other") {
      if (before !== undefined) this.#gone(path);
      return false;
    }
    if (after.kind === "other" || before?.kind === "other") {
      this.#left.push({ path, reason: NOT_KEPT });
      return false;
    }
    if (before?.kind === "directory" && after.kind !== "directory") this.#goneBelow(path);
    this.#add(path, this.#comparable(path, before, after), this.#withContent(spot, after));
    return after.kind === "directory";
  }

  #withContent({ directory, name }: { readonly directory: number; readonly name: string }, entry: Entry): Entry {
    const { files } = this.#parts;
    if (entry.kind === "link") return { ...entry, target: files.linkTarget(directory, name) ?? "" };
    if (entry.kind !== "file") return entry;
    const content = files.with(files.open(directory, name), (fd) => hashOf(files, fd));
    return content === undefined ? { ...entry, unkept: "it may not be read" } : { ...entry, content };
  }

  #comparable(path: string, before: State, after: Entry): State {
    if (before?.kind !== "file" || after.kind !== "file") return before;
    const isCompared = before.size === after.size || Math.max(before.size, after.size) <= COMPARED_BYTES;
    return isCompared ? withLowerContent(this.#parts, path, before) : before;
  }

  #gone(path: string): void {
    const reason = this.#whyLeft(path);
    if (reason !== undefined) return void this.#left.push({ path, reason });
    const before = this.#lower(path);
    if (before === undefined || this.#isMounted(path, before)) return;
    if (before.kind === "other") return void this.#left.push({ path, reason: NOT_KEPT });
    this.#add(path, before, undefined);
    if (before.kind === "directory") this.#goneBelow(path);
  }

  #goneBelow(path: string): void {
    for (const name of this.#lowerNames(path)) this.#gone(`${path}/${name}`);
  }

  #add(path: string, before: State, after: State): void {
    if (this.#changes.length >= MOST_CHANGES) {
      throw new UserError(`A preview cannot keep more than ${MOST_CHANGES} paths`);
    }
    if (isSame(before, after)) return;
    if (before !== undefined && before.kind !== "directory" && before.changed > this.#layer.begun) {
      this.#stale.push(path);
    }
    this.#changes.push({ path, before, after });
  }

  /** File systems mounted in the tree are not in the view, so the command saw something else there. */
  #isMounted(path: string, before: State): boolean {
    const isMounted = before !== undefined && deviceOf(before) !== this.#device;
    if (isMounted) this.#left.push({ path, reason: "another file system is mounted there" });
    return isMounted;
  }

  #lower(path: string): State {
    return stateAt(this.#parts, path);
  }

  #lowerNames(path: string): readonly string[] {
    const { files, roots } = this.#parts;
    return files.with(roots.directory(path), (fd) => files.entries(fd).map(({ name }) => name)) ?? [];
  }

  #whyLeft(path: string): string | undefined {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (name === GIT) return "a preview leaves git's own files alone";
    return name.startsWith(UNDO_DRAFT) ? "its name is one that an undo uses" : this.#parts.whyLeft(path);
  }
}

function deviceOf(entry: State): string | undefined {
  return entry?.file.split(":")[0];
}

/** The entry at a path of the tree, without the content of a file. */
export function stateAt({ files, roots }: Pick<LayerParts, "files" | "roots">, path: string): State {
  return roots.at(path, ({ directory, name }) => {
    const stat = files.stat(directory, name);
    if (stat === undefined) return undefined;
    const entry = factsOf(stat);
    return entry.kind === "link" ? { ...entry, target: files.linkTarget(directory, name) ?? "" } : entry;
  });
}

/** The same for a file, with the hash of its content. */
export function withLowerContent(
  { files, roots }: Pick<LayerParts, "files" | "roots">,
  path: string,
  entry: Entry,
): Entry {
  const content = roots.at(
    path,
    ({ directory, name }) => files.with(files.open(directory, name), (fd) => hashOf(files, fd)),
  );
  return content === undefined ? entry : { ...entry, content };
}
