/** Makes and removes small trees through the C library, quickly, and in /dev too, where the runtime fails. */
import { words } from "../../base/text.ts";
import { type DirectoryEntry, LazyLibrary, listEntries } from "../c_library.ts";
import { text } from "./library.ts";
import { AT_FDCWD, AT_REMOVEDIR, O_CLOEXEC, O_CREAT, O_WRONLY, OWN_CALLS, OWN_OPEN_FLAGS } from "../syscalls.ts";

const LIBRARY = words("callInDirectory symlink readlink");

const NOTHING = new Uint8Array();

type Call = "mkdirat" | "openat" | "close" | "getdents64" | "unlinkat";

/** For trees that no other program writes to. */
export class TreeMaker implements Disposable {
  readonly #library = new LazyLibrary(LIBRARY);

  [Symbol.dispose](): void {
    this.#library[Symbol.dispose]();
  }

  /** @throws {Error} When the name is taken, or the system refuses. */
  directory(path: string, mode = 0o755): void {
    if (this.#call("mkdirat", AT_FDCWD, path, mode) < 0) throw new Error(`Cannot make directory "${path}"`);
  }

  /** Makes an empty file if there is none. @throws {Error} When it is another kind, or refused. */
  file(path: string, mode = 0o444): void {
    const { noFollow } = OWN_OPEN_FLAGS;
    const descriptor = this.#call("openat", AT_FDCWD, path, O_WRONLY | O_CREAT | noFollow | O_CLOEXEC, mode);
    if (descriptor < 0) throw new Error(`Cannot make file "${path}"`);
    this.#call("close", descriptor);
  }

  /** @throws {Error} When the name is taken, or the system refuses. */
  link(path: string, target: string): void {
    if (this.#library.symbols.symlink(text(target), text(path)) < 0) throw new Error(`Cannot make link "${path}"`);
  }

  /** Names in a directory; undefined: there is none. */
  names(path: string): readonly string[] | undefined {
    return this.#inDirectory(AT_FDCWD, path, (_, entries) => entries.map(({ name }) => name));
  }

  /** Where a link leads; undefined: there is none. */
  target(path: string): string | undefined {
    const buffer = new Uint8Array(4096);
    const length = Number(this.#library.symbols.readlink(text(path), buffer, BigInt(buffer.length)));
    return length < 0 ? undefined : new TextDecoder().decode(buffer.subarray(0, length));
  }

  /** Removes a directory with all that is in it, if there is one. @throws {Error} When something in it cannot be removed. */
  remove(path: string): void {
    const emptied = this.#inDirectory(AT_FDCWD, path, (descriptor, entries) => this.#empty(descriptor, entries));
    if (emptied === undefined || emptied && this.#call("unlinkat", AT_FDCWD, path, AT_REMOVEDIR) === 0) return;
    throw new Error(`Cannot remove "${path}"`);
  }

  #empty(descriptor: number, entries: readonly DirectoryEntry[]): boolean {
    return entries.every(({ name }) => {
      const emptied = this.#inDirectory(descriptor, name, (below, more) => this.#empty(below, more));
      return emptied !== false && this.#call("unlinkat", descriptor, name, emptied === true ? AT_REMOVEDIR : 0) === 0;
    });
  }

  /** Undefined: it is not a directory. */
  #inDirectory<Result>(
    at: number,
    path: string,
    use: (descriptor: number, entries: readonly DirectoryEntry[]) => Result,
  ): Result | undefined {
    const { directory, noFollow } = OWN_OPEN_FLAGS;
    const descriptor = this.#call("openat", at, path, directory | noFollow | O_CLOEXEC);
    if (descriptor < 0) return undefined;
    try {
      return use(descriptor, this.#entriesOf(descriptor));
    } finally {
      this.#call("close", descriptor);
    }
  }

  #entriesOf(descriptor: number): readonly DirectoryEntry[] {
    return listEntries(new Uint8Array(32_768), (into) => this.#call("getdents64", descriptor, into, into.length));
  }

  #call(call: Call, first: number, place: string | Uint8Array<ArrayBuffer> = NOTHING, second = 0, third = 0): number {
    const number = BigInt(OWN_CALLS[call]);
    const bytes = typeof place === "string" ? text(place) : place;
    return Number(this.#library.symbols.callInDirectory(number, BigInt(first), bytes, BigInt(second), BigInt(third)));
  }
}
