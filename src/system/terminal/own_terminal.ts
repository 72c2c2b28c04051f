/** The terminal of this process, and how it treats the keys that a person types (termios(3)). */
import { words } from "../../base/text.ts";
import { LazyLibrary, LITTLE_ENDIAN } from "../c_library.ts";

const LIBRARY = words("ioctl");

const STDIN = 0;
const TCGETS = 0x5401n;
/** TCSETSW: applies after all output is written. */
const TCSETS = 0x5403n;
const TERMIOS_BYTES = 64;
/** Offsets in `struct termios`: words of flags, then characters. */
const [INPUT_AT, OUTPUT_AT, LOCAL_AT, CHARACTERS_AT] = [0, 4, 12, 17];
/** BRKINT, INPCK, ISTRIP, ICRNL, IXON. */
const COOKED_INPUT = 0x2 | 0x10 | 0x20 | 0x100 | 0x400;
const OPOST = 1;
const [ISIG, ICANON, ECHO, IEXTEN] = [1, 2, 8, 0x8000];
const [VTIME, VMIN, VEOL] = [5, 6, 11];

/**
 * - `keys`: each key arrives as its bytes; no key has a meaning for the system.
 * - `lines`: whole lines arrive, which the person sees and edits. The key with the code `end` also ends a line.
 * - `silent`: each key arrives at once and is not shown; ctrl-c sends a signal.
 */
export type KeyMode = { readonly kind: "keys" | "silent" } | { readonly kind: "lines"; readonly end: number };

/** The terminal at stdin; disposal restores its mode. */
export class OwnTerminal implements Disposable {
  readonly #library = new LazyLibrary(LIBRARY);
  readonly #before = new Uint8Array(TERMIOS_BYTES);
  readonly #isTerminal: boolean;

  constructor() {
    this.#isTerminal = this.#library.symbols.ioctl(STDIN, TCGETS, this.#before) === 0;
  }

  /** Sets a mode in one step; otherwise a key in between would stay in an unfinished line. */
  set(mode: KeyMode): void {
    if (this.#isTerminal) this.#library.symbols.ioctl(STDIN, TCSETS, changed(this.#before, mode));
  }

  [Symbol.dispose](): void {
    if (this.#isTerminal) this.#library.symbols.ioctl(STDIN, TCSETS, this.#before);
    this.#library[Symbol.dispose]();
  }
}

/** The settings of a terminal in that mode. Pure. */
export function changed(settings: Uint8Array, mode: KeyMode): Uint8Array<ArrayBuffer> {
  const bytes = settings.slice();
  const view = new DataView(bytes.buffer);
  const clear = (at: number, flags: number) =>
    view.setUint32(at, view.getUint32(at, LITTLE_ENDIAN) & ~flags, LITTLE_ENDIAN);
  if (mode.kind === "lines") {
    bytes[CHARACTERS_AT + VEOL] = mode.end;
    return bytes;
  }
  clear(LOCAL_AT, ICANON | ECHO | (mode.kind === "keys" ? ISIG | IEXTEN : 0));
  if (mode.kind === "keys") {
    clear(INPUT_AT, COOKED_INPUT);
    clear(OUTPUT_AT, OPOST);
  }
  bytes[CHARACTERS_AT + VMIN] = 1;
  bytes[CHARACTERS_AT + VTIME] = 0;
  return bytes;
}
