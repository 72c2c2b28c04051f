/**
 * Turns a table into an executable: a static ELF file with two segments of the same bytes, one read-execute for the
 * interpreter and one read-write for the table and its data, and a non-executable stack.
 */
import { LITTLE_ENDIAN } from "../../../system/c_library.ts";
import { ENTRY_BYTES, ENTRY_MODE } from "./interpreter.ts";
import type { Interpreter } from "./interpreter_code.ts";
import type { Table, TableWord } from "./table.ts";

export const CODE_BASE = 0x400000;
export const DATA_BASE = 0x600000;
/** Where in an entry its expected value stands. */
const EXPECTED_OFFSET = 72;
const ELF_HEADER_BYTES = 64;
export const PROGRAM_HEADER_BYTES = 56;
export const CODE_OFFSET = 0x100;
export const TABLE_OFFSET = 0x400;
/** Between code and table stand two words for a shell (shared_object.ts). */
export const SLOTS_OFFSET = 0x3f0;
/** Largest page size of aarch64 kernels, so that one layout serves all. */
const SEGMENT_ALIGNMENT = 0x10000;

/** Where the interpreter finds its table; the value is part of the machine code. */
export const TABLE_ADDRESS = DATA_BASE + TABLE_OFFSET;

/**
 * The whole file.
 * @throws {RangeError} When the interpreter does not fit before the table.
 */
export function buildImage(table: Table, interpreter: Interpreter): Uint8Array<ArrayBuffer> {
  const dataOffset = dataOffsetOf(table);
  const image = new Uint8Array(dataOffset + table.data().length);
  writeHeaders(new DataView(image.buffer), {
    type: 2, // ET_EXEC
    machine: interpreter.machine,
    entry: CODE_BASE + CODE_OFFSET,
    segmentsAt: ELF_HEADER_BYTES,
    segments: segmentsOf(image.length),
  });
  writeCode(image, interpreter);
  writeTable(image, table, { entriesAt: TABLE_OFFSET, dataAt: dataOffset, firstStep: 0, place: placementOf(table) });
  return image;
}

/** Copies the interpreter in. @throws {RangeError} When it does not fit before the table. */
export function writeCode(image: Uint8Array, interpreter: Interpreter): void {
  const code = interpreter.code();
  if (CODE_OFFSET + code.length > SLOTS_OFFSET) {
    throw new RangeError(`Cannot build the launcher image: the interpreter has ${code.length} bytes, more than fit`);
  }
  image.set(code, CODE_OFFSET);
}

/** Addresses in the memory of the process that an image becomes. */
export interface Placement {
  entry(index: number): number;
  data(offset: number): number;
}

/** Where the parts of `table` are when its image runs; the table must be complete. */
export function placementOf(table: Table): Placement {
  const dataOffset = dataOffsetOf(table);
  return {
    entry: (index) => TABLE_ADDRESS + index * ENTRY_BYTES,
    data: (offset) => DATA_BASE + dataOffset + offset,
  };
}

/** Where the data of a table begins in its image. */
export function dataOffsetOf(table: Table): number {
  return TABLE_OFFSET + table.entries.length * ENTRY_BYTES;
}

/** Where in `bytes` a table goes, and what it will find there. */
export interface TablePlace {
  readonly entriesAt: number;
  readonly dataAt: number;
  /** Added to the number of each step. */
  readonly firstStep: number;
  readonly place: Placement;
}

/** Writes entries and data as the interpreter reads them. */
export function writeTable(bytes: Uint8Array<ArrayBuffer>, table: Table, where: TablePlace): void {
  const { entriesAt, dataAt, firstStep, place } = where;
  const view = new DataView(bytes.buffer);
  bytes.set(table.data(), dataAt);
  let at = entriesAt;
  const put = (word: TableWord) => {
    writeWord(view, at, word, place);
    at += 8;
  };
  for (const entry of table.entries) {
    put(entry.number);
    for (let i = 0; i < 6; i++) put(entry.args[i] ?? 0);
    put(entry.out ?? 0);
    put(ENTRY_MODE[entry.mode]);
    put(entry.expect);
    put(firstStep + entry.step);
  }
  for (const pointer of table.pointers) writeWord(view, dataAt + pointer.at, pointer.to, place);
}

/** Numbers are written as two halves: going through BigInt for each of some two thousand words costs as much as a spawn. */
function writeWord(view: DataView, at: number, word: TableWord, place: Placement): void {
  if (typeof word === "bigint") return view.setBigUint64(at, BigInt.asUintN(64, word), LITTLE_ENDIAN);
  const value = typeof word === "number" ? word : addressOf(word, place);
  view.setUint32(at, value >>> 0, LITTLE_ENDIAN);
  view.setUint32(at + 4, Math.floor(value / 0x1_0000_0000) >>> 0, LITTLE_ENDIAN);
}

function addressOf(word: Exclude<TableWord, number | bigint>, place: Placement): number {
  switch (word.kind) {
    case "data":
      return place.data(word.offset);
    case "argument":
      return place.entry(word.entry) + 8 + 8 * word.index;
    case "entry":
      return place.entry(word.entry);
    case "expected":
      return place.entry(word.entry) + EXPECTED_OFFSET;
    case "symbol":
      return 0; // the dynamic linker writes it
  }
}

/** What stands in the header of a file. */
export interface Headers {
  /** `e_type`. */
  readonly type: number;
  /** `e_machine`. */
  readonly machine: number;
  readonly entry: number;
  readonly segmentsAt: number;
  readonly segments: readonly Segment[];
}

/** The same bytes twice: to run the interpreter, and to read and write the table; and a stack that is no code. */
export function segmentsOf(bytes: number): readonly Segment[] {
  return [
    { type: 1, flags: 5, address: CODE_BASE, offset: 0, bytes: TABLE_OFFSET },
    { type: 1, flags: 6, address: DATA_BASE, offset: 0, bytes },
    { type: 0x6474e551, flags: 6, address: 0, offset: 0, bytes: 0 }, // PT_GNU_STACK
  ];
}

/** Writes the header of the file and those of its segments. */
export function writeHeaders(view: DataView, { type, machine, entry, segmentsAt, segments }: Headers): void {
  new Uint8Array(view.buffer).set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]);
  view.setUint16(16, type, LITTLE_ENDIAN);
  view.setUint16(18, machine, LITTLE_ENDIAN);
  view.setUint32(20, 1, LITTLE_ENDIAN);
  view.setBigUint64(24, BigInt(entry), LITTLE_ENDIAN);
  view.setBigUint64(32, BigInt(segmentsAt), LITTLE_ENDIAN);
  view.setUint16(52, ELF_HEADER_BYTES, LITTLE_ENDIAN);
  view.setUint16(54, PROGRAM_HEADER_BYTES, LITTLE_ENDIAN);
  view.setUint16(56, segments.length, LITTLE_ENDIAN);
  segments.forEach((segment, index) => writeSegment(view, segmentsAt + index * PROGRAM_HEADER_BYTES, segment));
}

/** A part of the file in memory. */
export interface Segment {
  readonly type: number;
  readonly flags: number;
  readonly address: number;
  readonly offset: number;
  readonly bytes: number;
}

function writeSegment(view: DataView, at: number, segment: Segment): void {
  view.setUint32(at, segment.type, LITTLE_ENDIAN);
  view.setUint32(at + 4, segment.flags, LITTLE_ENDIAN);
  view.setBigUint64(at + 8, BigInt(segment.offset), LITTLE_ENDIAN);
  view.setBigUint64(at + 16, BigInt(segment.address), LITTLE_ENDIAN);
  view.setBigUint64(at + 24, BigInt(segment.address), LITTLE_ENDIAN);
  view.setBigUint64(at + 32, BigInt(segment.bytes), LITTLE_ENDIAN);
  view.setBigUint64(at + 40, BigInt(segment.bytes), LITTLE_ENDIAN);
  view.setBigUint64(at + 48, BigInt(SEGMENT_ALIGNMENT), LITTLE_ENDIAN);
}
