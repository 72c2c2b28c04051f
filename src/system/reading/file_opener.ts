/** Opens files without blocking. Linux uses the C library, as `node:fs` takes a tenth of the start. */
import { encodeText, words } from "../../base/text.ts";
import { errnoAt, LazyLibrary } from "../c_library.ts";
import { factsOf, type FileFacts } from "../libc.ts";
import { AT_FDCWD, O_CLOEXEC, O_NONBLOCK, OWN_CALLS } from "../syscalls.ts";

/** A file that is open; disposal closes it. */
export interface OpenedFile extends Disposable {
  readonly isFile: boolean;
  readonly size: number;
  /** `device:inode`, in decimal. */
  readonly identity: string;
  /** Reads on from the last read; the number of bytes, 0: the end. @throws Error with the system's `code` */
  read(into: Uint8Array<ArrayBuffer>): number;
}

/** Opens one file after the other. */
export interface FileOpener {
  /** @throws Error with the system's `code` */
  open(path: string): OpenedFile;
}

/** Calls `use` with the opener for this system, which is valid only during the call. Returns the result. */
export function withFileOpener<Result>(use: (opener: FileOpener) => Result): Result {
  if (Deno.build.os !== "linux") return use(nodeOpener());
  const opener = new LinuxOpener();
  try {
    return use(opener);
  } finally {
    opener.close();
  }
}

const LIBRARY = words("__errno_location callWithBuffer");
const NOTHING = new Uint8Array();
/** O_RDONLY is nothing. */
const O_NOCTTY = 0x100;
/** Names of errors; others are shown by their number. */
const CODES: Readonly<Record<number, string>> = {
  1: "EPERM",
  2: "ENOENT",
  5: "EIO",
  6: "ENXIO",
  13: "EACCES",
  20: "ENOTDIR",
  23: "ENFILE",
  24: "EMFILE",
  36: "ENAMETOOLONG",
  40: "ELOOP",
};

class LinuxOpener implements FileOpener {
  readonly #library = new LazyLibrary(LIBRARY);

  open(path: string): OpenedFile {
    const flags = O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    const descriptor = this.#call("openat", AT_FDCWD, encodeText(`${path}\0`), flags);
    if (descriptor < 0) throw this.#failure("open", path);
    const { kind, size, device, inode } = this.#factsOf(descriptor);
    return {
      isFile: kind === "file",
      size: Number(size),
      identity: `${Number(device)}:${Number(inode)}`,
      read: (into) => {
        const got = this.#call("read", descriptor, into, into.length);
        if (got < 0) throw this.#failure("read", path);
        return got;
      },
      [Symbol.dispose]: () => void this.#call("close", descriptor, NOTHING),
    };
  }

  close(): void {
    this.#library[Symbol.dispose]();
  }

  #factsOf(descriptor: number): FileFacts {
    const stat = new BigUint64Array(32);
    // It cannot fail: the descriptor is open, and the file is not touched.
    this.#call("fstat", descriptor, stat);
    return factsOf(stat, new Uint32Array(stat.buffer));
  }

  #call(
    call: "openat" | "read" | "close" | "fstat",
    first: number,
    buffer: Uint8Array<ArrayBuffer> | BigUint64Array<ArrayBuffer>,
    second = 0,
  ): number {
    const number = BigInt(OWN_CALLS[call]);
    return Number(this.#library.symbols.callWithBuffer(number, BigInt(first), buffer, BigInt(second)));
  }

  #failure(call: string, path: string): Error {
    const errno = errnoAt(this.#library.symbols.__errno_location());
    const code = CODES[errno] ?? `errno ${errno}`;
    return Object.assign(new Error(`${code}: cannot ${call} "${path}"`), { code });
  }
}

/** For systems with another C library. */
function nodeOpener(): FileOpener {
  const { closeSync, constants, fstatSync, openSync, readSync } = process.getBuiltinModule("node:fs");
  return {
    open(path) {
      const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
      const seen = fstatSync(descriptor);
      return {
        isFile: seen.isFile(),
        size: seen.size,
        identity: `${seen.dev}:${seen.ino}`,
        read: (into) => readSync(descriptor, into, 0, into.length, null),
        [Symbol.dispose]: () => closeSync(descriptor),
      };
    },
  };
}
