/** The system's C library for calls that the runtime does not offer. */
import { nameText } from "../base/bytes.ts";
import { C_FUNCTIONS, type CFunction } from "./c_functions.ts";

/** Byte order of both processors that the program supports, for DataView. */
export const LITTLE_ENDIAN = true;

/** Names of glibc's library file, then musl's, whose name ends with the processor. */
const NAMES = ["libc.so.6", `libc.musl-${Deno.build.arch}.so.1`] as const;

/** Opens the C library, for the caller to close. @throws Error without glibc and musl, or a function. */
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

type Symbols<Name extends CFunction> = Deno.DynamicLibrary<Pick<typeof C_FUNCTIONS, Name>>["symbols"];

/**
 * Functions of the C library, each loaded at its first use. The runtime compiles machine code for each function it
 * loads, which takes 0.3 ms and 4 MB for the first. It does not do so for a function with a structure parameter. Each
 * function therefore gets an extra structure parameter, which the C library ignores. A call then takes one microsecond
 * more once it is hot.
 */
export class LazyLibrary<Name extends CFunction> implements Disposable {
  /** @throws Error when neither glibc nor musl is found, or lacks the function that is asked for. */
  readonly symbols: Symbols<Name>;
  readonly #names: readonly Name[];
  readonly #opened: Deno.DynamicLibrary<Deno.ForeignLibraryInterface>[] = [];

  constructor(names: readonly Name[]) {
    this.#names = names;
    this.symbols = this.#loading();
  }

  [Symbol.dispose](): void {
    for (const library of this.#opened.splice(0)) library.close();
  }

  #loading(): Symbols<Name> {
    const loading = {};
    for (const name of this.#names) {
      const get = () => {
        // Loading it later would overwrite errno.
        if (name !== ERRNO_LOCATION && ERRNO_LOCATION in loading) Reflect.get(loading, ERRNO_LOCATION);
        const library = openCLibrary({ [name]: withStructure(C_FUNCTIONS[name]) });
        this.#opened.push(library);
        const called = library.symbols[name] as (...words: readonly unknown[]) => unknown;
        const value = (...words: readonly unknown[]) => called(...words, NO_STRUCTURE);
        Object.defineProperty(loading, name, { value });
        return value;
      };
      Object.defineProperty(loading, name, { get, configurable: true });
    }
    return loading as Symbols<Name>;
  }
}

const NO_STRUCTURE = new Uint8Array(8);

function withStructure(description: Deno.ForeignFunction): Deno.ForeignFunction {
  return { ...description, parameters: [...description.parameters, { struct: ["u64"] }] };
}

const ERRNO_LOCATION = "__errno_location";

/** The error number of the last call; `pointer` is the result of `__errno_location`. */
export function errnoAt(pointer: Deno.PointerValue): number {
  return pointer === null ? 0 : new Deno.UnsafePointerView(pointer).getInt32();
}

export type EntryKind = "file" | "directory" | "link" | "other";

export interface DirectoryEntry {
  readonly name: string;
  /** Undefined: the file system does not say. */
  readonly kind: EntryKind | undefined;
  /** The lower 32 bits of the number of its file. */
  readonly file: number;
}

const LENGTH_AT = 16;
const TYPE_AT = 18;
const NAME_AT = 19;
const KINDS: Readonly<Record<number, EntryKind | undefined>> = { 0: undefined, 4: "directory", 8: "file", 10: "link" };

/** All entries of a directory. `read` fills the buffer with the next entries and returns their bytes; 0: the end. */
export function listEntries(
  buffer: Uint8Array<ArrayBuffer>,
  read: (buffer: Uint8Array<ArrayBuffer>) => number | bigint,
  { wanted, most = Infinity }: {
    readonly wanted?: (kind: DirectoryEntry["kind"]) => boolean;
    /** Reading ends when there are more. */
    readonly most?: number;
  } = {},
): readonly DirectoryEntry[] {
  const found: DirectoryEntry[] = [];
  for (;;) {
    const length = Number(read(buffer));
    if (length <= 0 || found.length > most) return found;
    found.push(...directoryEntries(buffer.subarray(0, length), wanted));
  }
}

/** The entries of `struct linux_dirent64` whose kind is `wanted`, without `.` and `..`. */
export function directoryEntries(
  bytes: Uint8Array,
  wanted: (kind: DirectoryEntry["kind"]) => boolean = () => true,
): readonly DirectoryEntry[] {
  const found: DirectoryEntry[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length;) {
    const length = view.getUint16(at + LENGTH_AT, LITTLE_ENDIAN);
    const type = bytes[at + TYPE_AT] ?? 0;
    const kind = type in KINDS ? KINDS[type] : "other";
    if (wanted(kind)) {
      const name = nameText(bytes.subarray(at + NAME_AT, bytes.indexOf(0, at + NAME_AT)));
      const file = view.getUint32(at + (LITTLE_ENDIAN ? 0 : 4), LITTLE_ENDIAN);
      if (name !== "." && name !== "..") found.push({ name, kind, file });
    }
    at += length;
  }
  return found;
}
