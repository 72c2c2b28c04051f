/** The system's C library for calls that the runtime does not offer. */

/** Byte order of both processors that the program supports, for DataView. */
export const LITTLE_ENDIAN = true;

/** Names of glibc's library file, then musl's, whose name ends with the processor. */
const NAMES = ["libc.so.6", `libc.musl-${Deno.build.arch}.so.1`] as const;

/**
 * Opens the C library for the functions described; the caller closes it.
 *
 * @throws Error when neither glibc nor musl is found, or lacks a function.
 */
export function openCLibrary<const Symbols extends Deno.ForeignLibraryInterface>(
  symbols: Symbols,
): Deno.DynamicLibrary<Symbols> {
  const problems: string[] = [];
  for (const name of NAMES) {
    try {
      return Deno.dlopen(name, symbols);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      problems.push(error.message);
    }
  }
  throw new Error(`Cannot load the C library: ${problems.join("; ")}`);
}

/** Functions of the C library that are loaded when one of them is first called: each takes some 0.4 ms of a start. */
export class LazyLibrary<const Symbols extends Deno.ForeignLibraryInterface> implements Disposable {
  readonly #described: Symbols;
  #library: Deno.DynamicLibrary<Symbols> | undefined;

  constructor(symbols: Symbols) {
    this.#described = symbols;
  }

  /** @throws Error when neither glibc nor musl is found, or lacks a function. */
  get symbols(): Deno.DynamicLibrary<Symbols>["symbols"] {
    this.#library ??= openCLibrary(this.#described);
    return this.#library.symbols;
  }

  [Symbol.dispose](): void {
    this.#library?.close();
    this.#library = undefined;
  }
}

/** The error of the last call, at what `__errno_location` answers. */
export function errnoAt(pointer: Deno.PointerValue): number {
  return pointer === null ? 0 : new Deno.UnsafePointerView(pointer).getInt32();
}

export type EntryKind = "file" | "directory" | "link" | "other";

export interface DirectoryEntry {
  readonly name: string;
  /** Undefined: the file system does not say. */
  readonly kind: EntryKind | undefined;
}

const LENGTH_AT = 16;
const TYPE_AT = 18;
const NAME_AT = 19;
const KINDS: Readonly<Record<number, EntryKind | undefined>> = { 0: undefined, 4: "directory", 8: "file", 10: "link" };
const DECODER = new TextDecoder();

/** The entries of `struct linux_dirent64`, without `.` and `..`. */
export function directoryEntries(bytes: Uint8Array): readonly DirectoryEntry[] {
  const found: DirectoryEntry[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length;) {
    const length = view.getUint16(at + LENGTH_AT, LITTLE_ENDIAN);
    const name = DECODER.decode(bytes.subarray(at + NAME_AT, bytes.indexOf(0, at + NAME_AT)));
    const type = bytes[at + TYPE_AT] ?? 0;
    if (name !== "." && name !== "..") found.push({ name, kind: type in KINDS ? KINDS[type] : "other" });
    at += length;
  }
  return found;
}
