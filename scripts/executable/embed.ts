/**
 * Puts a program into the ELF file of the runtime: the last note of the program headers becomes a segment with the
 * stub, which is where the file begins to run; the program follows it, outside of every segment. Pure.
 */
import { LITTLE_ENDIAN } from "../../src/system/c_library.ts";
import { elfLayout } from "./elf_layout.ts";
import { buildStub, type StartLine, type Stub } from "./stub.ts";

const PT_LOAD = 1;
const READ_EXECUTE = 5;
/** Addresses of segments begin at a multiple of this on either processor. */
const ADDRESS_STEP = 0x10000;

/** What is put before the program. */
export interface Embedding {
  readonly stub: Stub;
  readonly line: StartLine;
}

/**
 * The executable: the bytes of `runtime` with other values in two headers, then stub and `program`.
 * @throws {Error} When the runtime is no ELF file of the layout that is known.
 */
export function embedProgram(
  runtime: Uint8Array,
  program: Uint8Array,
  { stub, line }: Embedding,
): Uint8Array<ArrayBuffer> {
  const { noteHeader, endAddress, entry, environSlot } = elfLayout(runtime, stub);
  const offset = roundUp(runtime.length, stub.pageBytes);
  const address = roundUp(endAddress, ADDRESS_STEP);
  const places = {
    programBytes: program.length,
    entryDistance: entry - address,
    environDistance: environSlot - address,
  };
  const size = buildStub(stub, line, { ...places, programOffset: 0 }).length;
  const programOffset = offset + size;
  const bytes = new Uint8Array(programOffset + program.length);
  bytes.set(runtime);
  bytes.set(buildStub(stub, line, { ...places, programOffset }), offset);
  bytes.set(program, programOffset);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(24, BigInt(address), LITTLE_ENDIAN);
  view.setUint32(noteHeader, PT_LOAD, LITTLE_ENDIAN);
  view.setUint32(noteHeader + 4, READ_EXECUTE, LITTLE_ENDIAN);
  [offset, address, address, size, size, stub.pageBytes].forEach((word, index) =>
    view.setBigUint64(noteHeader + 8 + 8 * index, BigInt(word), LITTLE_ENDIAN)
  );
  return bytes;
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}
