/**
 * Separates a protected file from its other names: a copy takes its place (S21). Commands may move directories
 * meanwhile, so each step goes by descriptors, without links, under git's lock. The copy has no name at first, then a
 * random one, and is exchanged; a file that a command moves there is replaced at once.
 */
import { sameBytes } from "../../base/bytes.ts";
import { FileCalls, isSameFile, type OpenFiles, type Stat } from "../../system/open_files/file_calls.ts";
import type { FileIdentity } from "../../system/libc.ts";
import { isWithin } from "../../system/paths.ts";
import type { PinnedDirectory } from "../policy/policy.ts";
import type { FileState } from "./guard_view.ts";

/** A larger file was not written by a person; it is only reported. */
const LARGEST_BYTES = 4 * 1024 * 1024;
/** How often a file that a command slipped in is replaced: each round the command must guess a new name in time. */
const MOST_TRIES = 64;
/** Kind and permissions; a copy is not set-user-ID. */
const COPIED_MODE = 0o170777;

/** One of the names of a file. */
export interface SharedName {
  readonly path: string;
  /** The file as it was seen. */
  readonly wanted: FileState;
  /** The writable tree that the path lies in, the widest where they are nested. */
  readonly tree: PinnedDirectory;
}

/** The outcome for a file with a second name. */
export interface Separated {
  /** `displaced`: it is separate, and what another program saved then lies next to it under a longer name. */
  readonly change: "separated" | "displaced" | "shared";
  /** The copy in place, if it equals the file as seen. Undefined: a program has changed either, or still may. */
  readonly copy?: FileState | undefined;
}

const SHARED: Separated = { change: "shared" };

/** Separates files; dispose it when the session ends. */
export class Separator implements Disposable {
  readonly #calls = new FileCalls();

  /**
   * Makes the file `path` in `tree`, which must be `wanted`, a separate file. `shared`: it is not, because it is
   * another file, too large, being replaced by another program (its lock is there), or the system refuses.
   */
  separate({ path, wanted, tree }: SharedName): Separated {
    if (!isWithin(path, tree.path) || path === tree.path) return SHARED;
    using files = this.#calls.begin();
    const below = path.slice(tree.path === "/" ? 1 : tree.path.length + 1);
    const slash = below.lastIndexOf("/");
    const directory = files.directory(tree, below.slice(0, Math.max(0, slash)) || ".");
    if (directory === undefined) return SHARED;
    const name = below.slice(slash + 1);
    const source = files.open(directory, name);
    const before = source === undefined ? undefined : files.stat(source, "");
    if (source === undefined || before === undefined || !isSameFile(before, wanted)) return SHARED;
    if (before.kind !== "file" || before.size > LARGEST_BYTES) return SHARED;
    const isAsSeen = files.hasNoWriter(source) && before.changedAt === wanted.changedAt;
    const content = files.read(source, before.size);
    const lock = `${name}.lock`;
    if (content === undefined || files.create(directory, lock) === undefined) return SHARED;
    const result = new Replacement(files, { directory, name, source, before, content }).run();
    files.unlink(directory, lock);
    return isAsSeen ? result : { ...result, copy: undefined };
  }

  [Symbol.dispose](): void {
    this.#calls[Symbol.dispose]();
  }
}

/** The file as it was opened. */
interface SharedFile {
  /** The descriptor of its directory. */
  readonly directory: number;
  readonly name: string;
  /** Its own descriptor. */
  readonly source: number;
  readonly before: Stat;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** The file in the place after an attempt: our copy, the old file, or a foreign one. */
type Placed = "copy" | "before" | "foreign";

/** One file that its copy replaces. */
class Replacement {
  readonly #files: OpenFiles;
  readonly #file: SharedFile;
  /** Other names in the directory that hold the old file. */
  readonly #left: string[] = [];
  /** The copy in the place, open for reading. */
  #copy: number | undefined;

  constructor(files: OpenFiles, file: SharedFile) {
    this.#files = files;
    this.#file = file;
  }

  run(): Separated {
    const { directory, name, before } = this.#file;
    let placed = this.#place("before");
    for (let tries = 0; placed === "foreign" && tries < MOST_TRIES; tries++) placed = this.#place("foreign");
    const kept = this.#left.filter((other) => !this.#discard(other, before));
    if (placed !== "copy" || this.#files.stat(directory, name)?.links !== 1) return SHARED;
    return { change: kept.length > 0 ? "displaced" : "separated", copy: this.#untouched() };
  }

  /** The copy, if it is unchanged and cannot be written unnoticed: a program may have opened it by name. */
  #untouched(): Stat | undefined {
    const { before, content, source } = this.#file;
    const files = this.#files;
    const fd = this.#copy;
    if (fd === undefined || !files.hasNoWriter(fd)) return undefined;
    const is = files.stat(fd, "");
    if (is?.mode !== (before.mode & COPIED_MODE) || is.uid !== before.uid || is.gid !== before.gid) return undefined;
    // Of the times the second two words are those of writing.
    if (is.times[2] !== before.times[2] || is.times[3] !== before.times[3]) return undefined;
    if (!files.haveSameAttributes(fd, source)) return undefined;
    const written = files.read(fd, before.size);
    return written !== undefined && sameBytes(written, content) ? is : undefined;
  }

  /** Puts a new copy in the place of what is `standing` there. Without room for a copy the file itself takes the place of a foreign one. */
  #place(standing: "before" | "foreign"): Placed {
    const files = this.#files;
    const { directory, name, source, before } = this.#file;
    const other = `${name}.${crypto.randomUUID()}`;
    const copy = this.#namedCopy(other) ??
      (standing === "foreign" && files.link(source, directory, other) ? source : undefined);
    const made = copy === undefined ? undefined : files.stat(copy, "");
    if (copy === undefined || made === undefined) return standing;
    const isReady = standing === "foreign" ||
      files.stat(source, "")?.changedAt === before.changedAt && isSameFile(files.stat(directory, name), before);
    const isExchanged = isReady && isSameFile(files.stat(directory, other), made) &&
      files.exchange(directory, other, name);
    // The other name now holds the old file, a version that another program has saved since, or a file that a command
    // put there.
    if (isExchanged) this.#left.push(other);
    else this.#discard(other, made);
    const placed = isExchanged ? files.open(directory, name) : undefined;
    const isPlaced = placed !== undefined && isSameFile(files.stat(placed, ""), made);
    // Only now: the inode of a closed file that lost its name could be that of a command's next one.
    if (copy !== source) files.drop(copy);
    if (isPlaced) this.#copy = placed;
    else if (placed !== undefined) files.drop(placed);
    return isPlaced ? "copy" : isExchanged ? "foreign" : standing;
  }

  /** The descriptor of a copy that has the name `other`; undefined: none can be made. */
  #namedCopy(other: string): number | undefined {
    const files = this.#files;
    const { directory, source, before, content } = this.#file;
    const unnamed = files.createUnnamed(directory);
    const copy = unnamed ?? files.create(directory, other);
    if (copy === undefined) return undefined;
    const isWhole = files.write(copy, content, { fd: source, stat: before });
    if (isWhole && (unnamed === undefined || files.link(unnamed, directory, other))) return copy;
    const made = files.stat(copy, "");
    if (made !== undefined) this.#discard(other, made);
    files.drop(copy);
    return undefined;
  }

  /** Removes the name if it is that of `wanted`; false: it is that of another file, which stays. */
  #discard(name: string, wanted: FileIdentity): boolean {
    const is = this.#files.stat(this.#file.directory, name);
    if (is !== undefined && !isSameFile(is, wanted)) return false;
    this.#files.unlink(this.#file.directory, name);
    return true;
  }
}
