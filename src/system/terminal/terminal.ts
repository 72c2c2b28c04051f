/** Pseudo-terminals of other processes; this program reads and writes their master (pty(7), ioctl_tty(2)). */
import { words } from "../../base/text.ts";
import { nameBytes } from "../../base/bytes.ts";
import { errnoAt, LazyLibrary, LITTLE_ENDIAN } from "../c_library.ts";
import { EAGAIN, O_CLOEXEC, O_NONBLOCK, POLLIN, POLLOUT } from "../syscalls.ts";

const LIBRARY = words("__errno_location open close read write ioctl fcntl pollLater");

const O_NOCTTY = 0x100;
const F_SETFL = 4;
const O_RDWR = 2;
const FIONREAD = 0x541bn;
const TCGETS = 0x5401n;
export const TIOCSWINSZ = 0x5414;
/** `struct termios`: four words of flags come first, the last of them `c_lflag`. */
const LOCAL_FLAGS_AT = 12;
const TERMIOS_BYTES = 64;
const ICANON = 2;
const ECHO = 8;
/** A program that reads nothing for this long does not take input, milliseconds. */
const WRITE_PATIENCE_MS = 2_000;
/** While the terminal collects lines, the kernel drops what a line has beyond this, in silence (n_tty.c). */
const LONGEST_LINE = 4_095;
/** Line feed, carriage return and ctrl-d end a line. */
const LINE_ENDS: ReadonlySet<number> = new Set([4, 10, 13]);

/** Columns and rows. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** `struct winsize` as a number. */
export function sizeWord({ columns, rows }: TerminalSize): bigint {
  return BigInt(rows) | BigInt(columns) << 16n;
}

/** Why a terminal that collects lines would cut one of these; undefined: it takes them whole. */
export function cutLine(bytes: Uint8Array): string | undefined {
  let [longest, length] = [0, 0];
  for (const byte of bytes) {
    length = LINE_ENDS.has(byte) ? 0 : length + 1;
    if (length > longest) longest = length;
  }
  if (longest <= LONGEST_LINE) return undefined;
  return `A line of ${longest} bytes is given, and its terminal takes ${LONGEST_LINE}: give shorter lines, ` +
    "or start it with input in place of tty";
}

/** The functions for terminals; disposal unloads them. */
export class Terminals implements Disposable {
  readonly #library = new LazyLibrary(LIBRARY);

  /** Unread bytes of a descriptor, or of a terminal at a path in /proc. Opening a pipe would wake its reader. */
  unread(place: number | string): number {
    const { open, close, ioctl } = this.#library.symbols;
    const count = new Int32Array(1);
    const descriptor = typeof place === "number"
      ? place
      : open(nameBytes(place + "\0"), O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const isKnown = ioctl(descriptor, FIONREAD, count) === 0;
    if (descriptor !== place && descriptor >= 0) close(descriptor);
    return isKnown ? count[0] ?? 0 : 0;
  }

  /** The terminal of a master descriptor, which it owns from now on. */
  adopt(master: number): Terminal {
    this.#library.symbols.fcntl(master, F_SETFL, BigInt(O_RDWR | O_NONBLOCK));
    return new Terminal(this.#library, master);
  }

  [Symbol.dispose](): void {
    this.#library[Symbol.dispose]();
  }
}

/** The master of a terminal. */
export class Terminal {
  readonly #library: LazyLibrary<typeof LIBRARY[number]>;
  readonly #descriptor: number;
  #isClosed = false;
  #isTyping = false;

  constructor(library: LazyLibrary<typeof LIBRARY[number]>, descriptor: number) {
    this.#library = library;
    this.#descriptor = descriptor;
  }

  /** Whether typed lines are not shown, as for a password. */
  get hidesInput(): boolean {
    return (this.#localFlags() & (ICANON | ECHO)) === ICANON;
  }

  /** Whether there is output that has not been read yet, as far as the kernel has passed it on. */
  get hasOutput(): boolean {
    const count = new Int32Array(1);
    return !this.#isClosed && this.#library.symbols.ioctl(this.#descriptor, FIONREAD, count) === 0 && count[0] !== 0;
  }

  /** Reads the next output into a buffer; 0: no process has the terminal now. It then closes itself. */
  async read(into: Uint8Array<ArrayBuffer>): Promise<number> {
    const { read, __errno_location } = this.#library.symbols;
    for (;;) {
      const length = this.#isClosed ? 0 : Number(read(this.#descriptor, into, BigInt(into.length)));
      if (length > 0) return length;
      if (length < 0 && errnoAt(__errno_location()) === EAGAIN) {
        await this.#wait(POLLIN, -1);
        continue;
      }
      this.close();
      return 0;
    }
  }

  /**
   * Types bytes. `patienceMs`: how long its programs may read nothing; -1: as long as they run.
   * @throws {Error} When its programs have ended, take no more, or would get less.
   */
  async write(bytes: Uint8Array, patienceMs = WRITE_PATIENCE_MS): Promise<void> {
    if (this.#isTyping) throw new Error("Its program has not read what was sent before");
    const problem = (this.#localFlags() & ICANON) === 0 ? undefined : cutLine(bytes);
    if (problem !== undefined) throw new Error(problem);
    this.#isTyping = true;
    try {
      await this.#type(bytes, patienceMs);
    } finally {
      this.#isTyping = false;
    }
  }

  /** Closes the terminal; unread output is lost. */
  close(): void {
    if (!this.#isClosed) this.#library.symbols.close(this.#descriptor);
    this.#isClosed = true;
  }

  /** Tells its programs of another size. */
  resize(size: TerminalSize): void {
    if (!this.#isClosed) {
      this.#library.symbols.ioctl(this.#descriptor, BigInt(TIOCSWINSZ), new BigUint64Array([sizeWord(size)]));
    }
  }

  async #type(bytes: Uint8Array, patienceMs: number): Promise<void> {
    const { write, __errno_location } = this.#library.symbols;
    for (let rest = bytes.slice(); rest.length > 0;) {
      if (this.#isClosed) throw new Error("Its programs have ended");
      const length = Number(write(this.#descriptor, rest, BigInt(rest.length)));
      if (length > 0) rest = rest.subarray(length);
      else if (length < 0 && errnoAt(__errno_location()) !== EAGAIN) throw new Error("Its programs have ended");
      else if (await this.#wait(POLLOUT, patienceMs) === 0) {
        const typed = `${bytes.length - rest.length} of ${bytes.length} bytes were typed`;
        throw new Error(`Its program does not read its input: ${typed}`);
      }
    }
  }

  /** `c_lflag` of its settings; 0: it is closed. */
  #localFlags(): number {
    const settings = new Uint8Array(TERMIOS_BYTES);
    if (this.#isClosed || this.#library.symbols.ioctl(this.#descriptor, TCGETS, settings) !== 0) return 0;
    return new DataView(settings.buffer).getUint32(LOCAL_FLAGS_AT, LITTLE_ENDIAN);
  }

  #wait(events: number, limitMs: number): Promise<number> {
    return this.#library.symbols.pollLater(new Int32Array([this.#descriptor, events]), 1n, limitMs);
  }
}
