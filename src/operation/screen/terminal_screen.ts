/** The screen of a terminal, from the output of its programs (X22). Answers to their queries are dropped. */
import type { Terminal } from "@xterm/headless";
import { boundedEmulator } from "./bounded_emulator.ts";

export interface Screen {
  /** Without blanks at their ends; empty ones at the end are left out. */
  readonly lines: readonly string[];
  /** The place of the cursor, the first line and column being 1. */
  readonly row: number;
  readonly column: number;
}

/** Columns and rows. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** The writer waits if more output than this is not drawn yet, bytes. */
const MOST_PENDING = 128 * 1024;
/** Drawn at once, bytes: the dearest sequences take 40 microseconds for two bytes. */
const PIECE = 512;
/** CSI sequences that put the cursor or clear the screen, as programs do that draw. */
const DRAWING = ["H", "f", "d"] as const;
const ERASE_ALL = 2;
/** How a program is informed of the mouse, by the emulator's name. */
const MOUSE_MODES: Readonly<Record<string, string | undefined>> = { vt200: "?1000h", drag: "?1002h", any: "?1003h" };

export class TerminalScreen implements Disposable {
  /** Undefined: it could not be loaded, so that nothing is ever drawn. */
  readonly #ready: Promise<Terminal | undefined>;
  #terminal: Terminal | undefined;
  #size: ScreenSize;
  #isDrawn = false;
  #pending = 0;
  #drawing = Promise.resolve();

  /** Loads the emulator, which only commands with a terminal need. */
  constructor(size: ScreenSize) {
    this.#size = size;
    this.#ready = this.#open(size).catch(() => undefined);
  }

  /** Whether a program draws: on the other screen, or by places since the last `forget`. */
  get isDrawn(): boolean {
    return this.#isDrawn || this.#terminal?.buffer.active.type === "alternate";
  }

  /** Whether programs have asked for the other sequences of cursor keys. */
  get applicationKeys(): boolean {
    return this.#terminal?.modes.applicationCursorKeysMode === true;
  }

  /** What draws it; undefined: it is not loaded yet, or cannot be. */
  get emulator(): Terminal | undefined {
    return this.#terminal;
  }

  /** Settles when there is room again; undefined: there is. */
  get pressure(): Promise<void> | undefined {
    return this.#pending > MOST_PENDING ? this.#drawing : undefined;
  }

  /** Draws a chunk later; it is copied. */
  write(chunk: Uint8Array): void {
    const bytes = chunk.slice();
    this.#pending += bytes.length;
    this.#drawing = this.#draw(bytes);
  }

  /** Earlier drawing at fixed places no longer counts: a program that keeps drawing will do it again. */
  forget(): void {
    this.#isDrawn = false;
  }

  /** Its size now. */
  get size(): ScreenSize {
    return this.#size;
  }

  async resize({ columns, rows }: ScreenSize): Promise<void> {
    this.#size = { columns, rows };
    (await this.#ready)?.resize(columns, rows);
  }

  /** What draws it on another terminal of its size, which then is in the same modes; colours are missing. */
  async picture(): Promise<string> {
    const { lines, row, column } = await this.read();
    const { buffer, modes } = this.#terminal ?? {};
    if (buffer === undefined || modes === undefined) return "";
    const other = buffer.active.type === "alternate" ? ["?1049h"] : [];
    const mouse = MOUSE_MODES[modes.mouseTrackingMode];
    const on = [
      ...modes.applicationCursorKeysMode ? ["?1h"] : [],
      ...modes.bracketedPasteMode ? ["?2004h"] : [],
      ...modes.sendFocusMode ? ["?1004h"] : [],
      ...mouse === undefined ? [] : [mouse, "?1006h"],
    ];
    const sequences = (all: readonly string[]) => all.map((one) => `\x1b[${one}`).join("");
    return `${sequences([...other, "H", "2J"])}${lines.join("\r\n")}${sequences([...on, `${row};${column}H`])}`;
  }

  /** All written output is drawn first. */
  async read(): Promise<Screen> {
    await this.#drawing;
    return this.now;
  }

  /** As far as it is drawn. */
  get now(): Screen {
    const { baseY = 0, cursorX = 0, cursorY = 0 } = this.#terminal?.buffer.active ?? {};
    const lines: string[] = [];
    for (let row = 0; row < (this.#terminal?.rows ?? 0); row++) {
      lines.push(this.#terminal?.buffer.active.getLine(baseY + row)?.translateToString(true).trimEnd() ?? "");
    }
    return {
      lines: lines.slice(0, lines.findLastIndex((line) => line !== "") + 1),
      row: cursorY + 1,
      column: cursorX + 1,
    };
  }

  [Symbol.dispose](): void {
    this.#terminal?.dispose();
    this.#terminal = undefined; // a later read sees an empty screen
  }

  async #open({ columns, rows }: ScreenSize): Promise<Terminal> {
    const terminal = await boundedEmulator(columns, rows);
    const draws = () => {
      this.#isDrawn = true;
      return false; // the emulator handles it too
    };
    for (const final of DRAWING) terminal.parser.registerCsiHandler({ final }, draws);
    terminal.parser.registerCsiHandler({ final: "J" }, ([what]) => what === ERASE_ALL && draws());
    return this.#terminal = terminal;
  }

  async #draw(bytes: Uint8Array): Promise<void> {
    const terminal = await this.#ready;
    let end = 0;
    for (; end + PIECE < bytes.length; end += PIECE) terminal?.write(bytes.subarray(end, end + PIECE));
    const last = bytes.subarray(end);
    await new Promise<void>((resolve) => terminal === undefined ? resolve() : terminal.write(last, resolve));
    this.#pending -= bytes.length;
  }
}
