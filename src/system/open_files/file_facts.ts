/** Gives files back what they had: times and owners, links too, and their blocks shared with a copy. */
import { words } from "../../base/text.ts";
import { LazyLibrary } from "../c_library.ts";
import { AT_FDCWD, AT_SYMLINK_NOFOLLOW } from "../syscalls.ts";
import { text } from "./library.ts";

const LIBRARY = words("utimensat fchownat fchmodat linkat fgetxattr ioctlNumber");

/** Of the time of access: it stays. */
const UTIME_OMIT = 0x3fff_ffffn;
const SECOND = 1_000_000_000n;
const FICLONE = 0x4004_9409n;

export class FileFactsCalls implements Disposable {
  readonly #library = new LazyLibrary(LIBRARY);

  [Symbol.dispose](): void {
    this.#library[Symbol.dispose]();
  }

  /** Sets when a file was last written, nanoseconds since 1970; false: the system refuses. */
  setModified(directory: number, name: string, modified: bigint): boolean {
    const seconds = modified / SECOND - (modified % SECOND < 0n ? 1n : 0n);
    const times = new BigInt64Array([0n, UTIME_OMIT, seconds, modified - seconds * SECOND]);
    return this.#library.symbols.utimensat(directory, text(name), times, AT_SYMLINK_NOFOLLOW) === 0;
  }

  /** The attribute of an open file, at most 16 bytes of it; undefined: it has none. */
  attribute(fd: number, name: string): string | undefined {
    const value = new Uint8Array(16);
    const length = Number(this.#library.symbols.fgetxattr(fd, text(name), value, BigInt(value.length)));
    return length < 0 ? undefined : new TextDecoder().decode(value.subarray(0, length));
  }

  /** False: the system refuses. */
  setOwner(directory: number, name: string, user: number, group: number): boolean {
    return this.#library.symbols.fchownat(directory, text(name), user, group, AT_SYMLINK_NOFOLLOW) === 0;
  }

  /** Of an open file or directory, which its mode may keep from being entered; false: the system refuses. */
  setMode(fd: number, mode: number): boolean {
    return this.#library.symbols.fchmodat(AT_FDCWD, text(`/proc/self/fd/${fd}`), mode, 0) === 0;
  }

  /** Gives a file a further name, a link as a link; false: the name is taken, or the system refuses. */
  addName(directory: number, name: string, to: number, toName: string): boolean {
    return this.#library.symbols.linkat(directory, text(name), to, text(toName), 0) === 0;
  }

  /** Gives an empty file the content of another, whose blocks both share; false: the file systems cannot. */
  clone(fd: number, from: number): boolean {
    return this.#library.symbols.ioctlNumber(fd, FICLONE, from) === 0;
  }
}
