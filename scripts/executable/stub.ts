/**
 * The stub: machine code that runs before the runtime in the same process, and gives it another command line. The
 * kernel and ld.so have loaded the runtime; ld.so then jumps to the stub, with the stack as the kernel made it.
 *
 * The stub copies the program from the file to sealed memory at one number of a descriptor. It builds a new block of
 * words and variables below the old one, and jumps to where the runtime begins. Nothing is written to disk, and no
 * other program is started. A failure is one line on stderr and exit code 126.
 *
 * The code is the same in every file; what it needs to know is data behind it, whose places count from its beginning.
 */

import { LITTLE_ENDIAN } from "../../src/system/c_library.ts";
import type { Machine } from "./elf_layout.ts";

/** The machine code for one processor. */
export interface Stub extends Machine {
  /** Pairs of bytes (hexadecimal, as they stand in memory) and their assembler source. */
  readonly listing: readonly (readonly [bytes: string, source: string])[];
  /** Largest page of the kernels for this processor: where segments may begin. */
  readonly pageBytes: number;
}

/** What the runtime is started with. */
export interface StartLine {
  /** The words before the user's: the name of the runtime, flags, the program. */
  readonly words: readonly string[];
  /** The same for a child server of a session. */
  readonly sessionWords: readonly string[];
  /** A process whose first word is one of these is a child server. */
  readonly sessionMarks: readonly string[];
  /** Variables that are added, as `NAME=value`. */
  readonly variables: readonly string[];
  /**
   * For each other variable the first rule that its text begins with decides, without one it is kept: `+` and `=` keep
   * it, `-` drops it, `!` drops it if it is empty, `^` makes the first letter of its name a small one.
   */
  readonly rules: readonly string[];
  /** Added where no variable that a rule with `=` or `!` keeps is there with a value. */
  readonly fallback: string;
  /** The name that the program's memory has in `/proc`. */
  readonly memoryName: string;
  /** The descriptor of the program's memory. */
  readonly descriptor: number;
}

/** Where the stub finds the program and the runtime. */
export interface StubPlaces {
  /** Of the program in the file, in bytes. */
  readonly programOffset: number;
  readonly programBytes: number;
  /** Address where the runtime begins, less the address of the stub; negative: before it. */
  readonly entryDistance: number;
  /** The same for the slot into which ld.so writes where `environ` is. */
  readonly environDistance: number;
}

/** The data begins here, behind the code. */
const DATA_OFFSET = 0x400;
const HEADER_BYTES = 144;
/** One byte for the length, and the text. */
const MESSAGE_BYTES = 128;

/** What the stub says when a step fails, in the order of the steps. */
const MESSAGES: readonly string[] = [
  "the kernel gives no memory for its program text (memfd_create)",
  "no descriptor is free for its program text: raise the limit of open files (ulimit -n)",
  "/proc/self/exe cannot be opened: mount /proc",
  "its program text cannot be read to the end: the file is damaged, or memory is short",
  "the kernel does not seal its program text (fcntl F_ADD_SEALS)",
];

/** The code as bytes. */
export function stubCode(stub: Stub): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromHex(stub.listing.map(([bytes]) => bytes).join(""));
}

/**
 * Code and data, as they stand in the file and in memory. Pure.
 * @throws {RangeError} When the code does not fit before its data, or a text holds a NUL.
 */
export function buildStub(stub: Stub, line: StartLine, places: StubPlaces): Uint8Array<ArrayBuffer> {
  const code = stubCode(stub);
  if (code.length > DATA_OFFSET) throw new RangeError(`Cannot build the stub: its code has ${code.length} bytes`);
  const data = new StubData();
  const memoryName = data.texts([line.memoryName]);
  const ownFile = data.texts(["/proc/self/exe"]);
  const words = data.texts(line.words);
  const sessionWords = data.texts(line.sessionWords);
  const sessionMarks = data.texts([...line.sessionMarks, ""]);
  const variables = data.texts(line.variables);
  const rules = data.texts([...line.rules, ""]);
  const fallback = data.texts([line.fallback]);
  const messages = data.bytes(messageTable());
  const header = [
    ...[memoryName, line.descriptor, ownFile, places.programOffset, places.programBytes],
    places.entryDistance - DATA_OFFSET,
    ...[line.words.length, words, line.sessionWords.length, sessionWords, line.variables.length],
    ...[sessionMarks, rules, roomBytes(line), variables, messages],
    ...[places.environDistance - DATA_OFFSET, fallback],
  ];
  const all = data.whole();
  const view = new DataView(all.buffer);
  header.forEach((word, index) => view.setBigInt64(index * 8, BigInt(word), LITTLE_ENDIAN));
  const bytes = new Uint8Array(DATA_OFFSET + all.length);
  bytes.set(code);
  bytes.set(all, DATA_OFFSET);
  return bytes;
}

/** What the new block may have more than the old one. */
function roomBytes({ words, sessionWords, variables }: StartLine): number {
  return (Math.max(words.length, sessionWords.length) + variables.length + 5) * 8;
}

function messageTable(): Uint8Array<ArrayBuffer> {
  const table = new Uint8Array(MESSAGES.length * MESSAGE_BYTES);
  MESSAGES.forEach((message, index) => {
    const text = new TextEncoder().encode(`Cannot start ahma_mcp: ${message}\n`);
    if (text.length >= MESSAGE_BYTES) throw new RangeError(`Cannot build the stub: "${message}" is too long`);
    table.set([text.length, ...text], index * MESSAGE_BYTES);
  });
  return table;
}

/** Collects what follows the header; places count from the beginning of the header. */
class StubData {
  readonly #bytes: number[] = [];

  /** The place of texts that follow each other, each with a NUL at its end. */
  texts(texts: readonly string[]): number {
    const bad = texts.find((text) => text.includes("\0"));
    if (bad !== undefined) throw new RangeError(`Cannot build the stub: ${JSON.stringify(bad)} holds a NUL`);
    return this.bytes(new TextEncoder().encode(texts.map((text) => `${text}\0`).join("")));
  }

  bytes(bytes: Uint8Array): number {
    const place = HEADER_BYTES + this.#bytes.length;
    this.#bytes.push(...bytes);
    return place;
  }

  /** An empty header and everything that was added. */
  whole(): Uint8Array<ArrayBuffer> {
    const whole = new Uint8Array(HEADER_BYTES + this.#bytes.length);
    whole.set(this.#bytes, HEADER_BYTES);
    return whole;
  }
}
