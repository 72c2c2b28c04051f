/** Files and directories of control groups. The runtime opens neither /proc nor /sys without every permission. */
import { encodeText, words } from "../../base/text.ts";
import { errnoAt, LazyLibrary } from "../c_library.ts";
import { O_CLOEXEC, O_WRONLY } from "../syscalls.ts";

const FUNCTIONS = words("__errno_location open read write pread close mkdir rmdir");

const [O_RDONLY, O_RDWR] = [0, 2];
const LONGEST = 65_536;

/** Disposal unloads the C library. */
export class ControlFiles implements Disposable {
  readonly #library = new LazyLibrary(FUNCTIONS);
  readonly #buffer = new Uint8Array(LONGEST);

  /** The text of a file, at most 64 KiB; undefined: it is not there, or may not be read. */
  read(path: string): string | undefined {
    const { open, read, close } = this.#library.symbols;
    const fd = open(encodeText(`${path}\0`), O_CLOEXEC);
    if (fd < 0) return undefined;
    const length = Number(read(fd, this.#buffer, BigInt(LONGEST)));
    close(fd);
    return length < 0 ? undefined : this.#text(length);
  }

  /** Writes a text at once; false: the kernel refuses it, or the file is not there. */
  write(path: string, text: string): boolean {
    const { open, write, close } = this.#library.symbols;
    const fd = open(encodeText(`${path}\0`), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const bytes = encodeText(text);
    const written = Number(write(fd, bytes, BigInt(bytes.length)));
    close(fd);
    return written === bytes.length;
  }

  /** Opens a file to read it again and again, and to write to it if that is allowed; undefined: it is not there. */
  open(path: string): number | undefined {
    const { open } = this.#library.symbols;
    const name = encodeText(`${path}\0`);
    const both = open(name, O_RDWR | O_CLOEXEC);
    const fd = both < 0 ? open(name, O_RDONLY | O_CLOEXEC) : both;
    return fd < 0 ? undefined : fd;
  }

  /** Writes to an open file; false: the kernel refuses it. */
  writeOpen(fd: number, text: string): boolean {
    const bytes = encodeText(text);
    return Number(this.#library.symbols.write(fd, bytes, BigInt(bytes.length))) === bytes.length;
  }

  /** The text of an open file, from its beginning; undefined: it may not be read any more. */
  readOpen(fd: number): string | undefined {
    const length = Number(this.#library.symbols.pread(fd, this.#buffer, BigInt(LONGEST), 0n));
    return length < 0 ? undefined : this.#text(length);
  }

  close(fd: number): void {
    this.#library.symbols.close(fd);
  }

  /** Makes a directory; the error number, 0 where it was made. */
  makeDirectory(path: string): number {
    const { mkdir, __errno_location } = this.#library.symbols;
    return mkdir(encodeText(`${path}\0`), 0o755) === 0 ? 0 : errnoAt(__errno_location());
  }

  /** Removes a directory; false: something still is in it, or it is not there. */
  removeDirectory(path: string): boolean {
    return this.#library.symbols.rmdir(encodeText(`${path}\0`)) === 0;
  }

  [Symbol.dispose](): void {
    this.#library[Symbol.dispose]();
  }

  #text(length: number): string {
    return new TextDecoder().decode(this.#buffer.subarray(0, length));
  }
}
