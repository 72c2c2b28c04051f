/**
 * Turns a table into a shared object that the dynamic linker loads into a shell (LD_PRELOAD, elf(5)). It stands in for
 * `open` and `getppid` of the C library (interpreter_*.lst). Its table runs inside the shell, when the shell opens the
 * file that BASH_ENV names, and calls functions of the shell. It works at its own addresses only, which the linker gives
 * it where they are free. Elsewhere the shell goes on as if there were none.
 */
import { encodeText } from "../../../base/text.ts";
import { LITTLE_ENDIAN } from "../../../system/c_library.ts";
import { ENTRY_BYTES } from "./interpreter.ts";
import type { Interpreter } from "./interpreter_code.ts";
import {
  CODE_BASE,
  CODE_OFFSET,
  DATA_BASE,
  dataOffsetOf,
  placementOf,
  segmentsOf,
  SLOTS_OFFSET,
  TABLE_OFFSET,
  writeCode,
  writeHeaders,
  writeTable,
} from "./image.ts";
import type { Table, TableWord } from "./table.ts";

/** The file that the shell opens when its start is over: seven characters, as in the interpreter. */
export const SHELL_FILE = "/ahma/f";

/** What the shell gets from here instead of from the C library. */
const OWN: readonly string[] = ["open", "getppid"];
/** The first of the two words for a shell: 1 until the table has begun. The second is the address of this function. */
const OPENAT: Use = { at: SLOTS_OFFSET + 8, name: "openat" };

/** R_X86_64_64 and R_AARCH64_ABS64, by `e_machine`. */
const ABSOLUTE_ADDRESS: Readonly<Record<number, number>> = { 62: 1, 183: 257 };
const SYMBOL_BYTES = 24;
const RELOCATION_BYTES = 24;
/** `st_info`: of a function here, and of what is somewhere else. */
const DEFINED = 0x12;
const UNDEFINED = 0x10;
const ET_DYN = 3;
const PT_DYNAMIC = 2;

/** A word of the file that gets the address of a symbol. */
interface Use {
  readonly at: number;
  readonly name: string;
}

/**
 * The whole file. `firstStep`: added to the number of each step.
 * @throws {RangeError} When the interpreter does not fit before the table.
 */
export function buildSharedObject(
  table: Table,
  interpreter: Interpreter,
  firstStep: number,
): Uint8Array<ArrayBuffer> {
  const dataAt = dataOffsetOf(table);
  const uses = [OPENAT, ...usesIn(table, dataAt)];
  const names = [...OWN, ...new Set(uses.map(({ name }) => name))];
  const texts = encodeText(`\0${names.join("\0")}\0`);
  const parts = new Parts(dataAt + table.data().length);
  const strings = parts.add(texts);
  const symbols = parts.add(halves(symbolsOf(names, interpreter)));
  // One chain, of all that is defined here.
  const hash = parts.add(halves([1, names.length + 1, 1, 0, 2, ...names.slice(1).map(() => 0)]));
  const type = ABSOLUTE_ADDRESS[interpreter.machine] ?? 0;
  const relocations = parts.add(
    halves(uses.flatMap(({ at, name }) => [DATA_BASE + at, 0, type, names.indexOf(name) + 1, 0, 0])),
  );
  const tags = [
    ...[[4, hash], [5, strings], [6, symbols], [7, relocations]].map(([tag = 0, at = 0]) => [tag, DATA_BASE + at]),
    ...[[8, uses.length * RELOCATION_BYTES], [9, RELOCATION_BYTES], [10, texts.length], [11, SYMBOL_BYTES], [0, 0]],
  ];
  const dynamicBytes = halves(tags.flatMap(([tag = 0, value = 0]) => [tag, 0, value, 0]));
  const dynamic = parts.add(dynamicBytes);
  const segmentsAt = parts.add(new Uint8Array(SEGMENTS * 56));
  const image = parts.join();
  writeHeaders(new DataView(image.buffer), {
    type: ET_DYN,
    machine: interpreter.machine,
    entry: 0,
    segmentsAt,
    segments: [...segmentsOf(image.length), {
      type: PT_DYNAMIC,
      flags: 6,
      address: DATA_BASE + dynamic,
      offset: dynamic,
      bytes: dynamicBytes.length,
    }],
  });
  writeCode(image, interpreter);
  new DataView(image.buffer).setUint32(SLOTS_OFFSET, 1, LITTLE_ENDIAN);
  writeTable(image, table, { entriesAt: TABLE_OFFSET, dataAt, firstStep, place: placementOf(table) });
  return image;
}

const SEGMENTS = 4;

/** Where the table names symbols, by place in the file. */
function usesIn({ entries, pointers }: Table, dataAt: number): readonly Use[] {
  const uses: Use[] = [];
  const note = (word: TableWord | undefined, at: number) => {
    if (typeof word === "object" && word.kind === "symbol") uses.push({ at, name: word.name });
  };
  entries.forEach(({ name, args, out }, index) => {
    const at = TABLE_OFFSET + index * ENTRY_BYTES;
    if (name !== undefined) uses.push({ at, name });
    args.forEach((word, place) => note(word, at + 8 + 8 * place));
    note(out, at + 56);
  });
  for (const { at, to } of pointers) note(to, dataAt + at);
  return uses;
}

/** `Elf64_Sym` of each name, after an empty one. */
function symbolsOf(names: readonly string[], interpreter: Interpreter): readonly number[] {
  let name = 1;
  const symbols = names.flatMap((text) => {
    const at = name;
    name += text.length + 1;
    const isOwn = OWN.includes(text);
    const value = isOwn ? CODE_BASE + CODE_OFFSET + interpreter.placeOf(text) : 0;
    // Its section is any: there are none.
    return [at, isOwn ? DEFINED | 1 << 16 : UNDEFINED, value, 0, 0, 0];
  });
  return [0, 0, 0, 0, 0, 0, ...symbols];
}

function halves(words: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 * words.length);
  const view = new DataView(bytes.buffer);
  words.forEach((word, index) => view.setUint32(4 * index, word, LITTLE_ENDIAN));
  return bytes;
}

/** What comes after the data of a table. */
class Parts {
  readonly #parts: { readonly at: number; readonly bytes: Uint8Array }[] = [];
  #end: number;

  constructor(end: number) {
    this.#end = end;
  }

  /** Returns where it stands. */
  add(bytes: Uint8Array): number {
    const at = Math.ceil(this.#end / 8) * 8;
    this.#parts.push({ at, bytes });
    this.#end = at + bytes.length;
    return at;
  }

  /** A file that has them, and zeros before. */
  join(): Uint8Array<ArrayBuffer> {
    const image = new Uint8Array(this.#end);
    for (const { at, bytes } of this.#parts) image.set(bytes, at);
    return image;
  }
}
