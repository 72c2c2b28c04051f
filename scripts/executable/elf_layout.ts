/** What has to be known about the ELF file of a runtime (elf(5)) before a program is put into it. Pure. */
import { LITTLE_ENDIAN } from "../../src/system/c_library.ts";

const HEADER_BYTES = 64;
const PROGRAM_HEADER_BYTES = 56;
const SYMBOL_BYTES = 24;
const RELOCATION_BYTES = 24;
const ET_DYN = 3;
const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PT_NOTE = 4;
const DT_STRTAB = 5;
const DT_SYMTAB = 6;
const DT_RELA = 7;
const DT_RELASZ = 8;

/** What the file must be. */
export interface Machine {
  /** `e_machine` of the ELF header. */
  readonly machine: number;
  /** The kind of relocation that writes the place of a symbol into a slot (`R_*_GLOB_DAT`). */
  readonly slotRelocation: number;
}

/** The parts of a runtime that embedding changes or names. */
export interface ElfLayout {
  /** Place in the file of the program header that becomes the stub's segment. */
  readonly noteHeader: number;
  /** The first address behind everything that is loaded. */
  readonly endAddress: number;
  /** Address where the runtime begins. */
  readonly entry: number;
  /** Address of the slot into which ld.so writes where the C library keeps `environ`. */
  readonly environSlot: number;
}

interface Segment {
  /** Place of its header. */
  readonly at: number;
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly fileBytes: number;
  readonly memoryBytes: number;
}

/** @throws {Error} When the file has another layout than is known: nothing is guessed about a foreign one. */
export function elfLayout(file: Uint8Array, machine: Machine): ElfLayout {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  try {
    return layoutOf(view, machine);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw refusal("a place that it names lies outside of it");
    throw thrown;
  }
}

function layoutOf(view: DataView, machine: Machine): ElfLayout {
  checkHeader(view, machine);
  const table = wordAt(view, 32);
  const segments = Array.from(
    { length: view.getUint16(56, LITTLE_ENDIAN) },
    (_, index) => segmentAt(view, table + index * PROGRAM_HEADER_BYTES),
  );
  const loaded = segments.filter(({ type }) => type === PT_LOAD);
  const note = segments.findLast(({ type }) => type === PT_NOTE);
  if (loaded.length === 0) throw refusal("it has no segment to load");
  if (note === undefined) throw refusal("it has no note (PT_NOTE), whose place the stub takes");
  // The kernel and ld.so take segments to be in the order of their addresses.
  if (loaded.some(({ at }) => at > note.at)) throw refusal("a segment to load follows its last note");
  return {
    noteHeader: note.at,
    endAddress: Math.max(...loaded.map(({ address, memoryBytes }) => address + memoryBytes)),
    entry: wordAt(view, 24),
    environSlot: slotOf(view, { name: "environ", segments, relocation: machine.slotRelocation }),
  };
}

function checkHeader(view: DataView, { machine }: Machine): void {
  if (view.byteLength < HEADER_BYTES || view.getUint32(0, LITTLE_ENDIAN) !== 0x464c457f) {
    throw refusal("it is no ELF file");
  }
  if (view.getUint16(4, LITTLE_ENDIAN) !== 0x0102) throw refusal("it is not of 64 bits, little-endian");
  const type = view.getUint16(16, LITTLE_ENDIAN);
  if (type !== ET_DYN) throw refusal(`its type is ${type}, not ${ET_DYN} (position-independent)`);
  const found = view.getUint16(18, LITTLE_ENDIAN);
  if (found !== machine) throw refusal(`it is for machine ${found}, not ${machine}`);
  const bytes = view.getUint16(54, LITTLE_ENDIAN);
  if (bytes !== PROGRAM_HEADER_BYTES) {
    throw refusal(`its program headers have ${bytes} bytes, not ${PROGRAM_HEADER_BYTES}`);
  }
}

interface Slot {
  readonly name: string;
  readonly segments: readonly Segment[];
  readonly relocation: number;
}

/** The slot of a symbol that a library defines; the runtime reads the symbol through it. */
function slotOf(view: DataView, { name, segments, relocation }: Slot): number {
  const dynamic = segments.find(({ type }) => type === PT_DYNAMIC);
  if (dynamic === undefined) throw refusal("it has no dynamic section (PT_DYNAMIC)");
  const tags = new Map(Array.from({ length: Math.floor(dynamic.fileBytes / 16) }, (_, index) => {
    const at = dynamic.offset + index * 16;
    return [wordAt(view, at), wordAt(view, at + 8)];
  }));
  const place = (tag: number) => offsetOf(tags.get(tag) ?? -1, segments);
  const [relocations, symbols, names] = [place(DT_RELA), place(DT_SYMTAB), place(DT_STRTAB)];
  for (let at = relocations; at < relocations + (tags.get(DT_RELASZ) ?? 0); at += RELOCATION_BYTES) {
    if (view.getUint32(at + 8, LITTLE_ENDIAN) !== relocation) continue;
    const symbol = symbols + view.getUint32(at + 12, LITTLE_ENDIAN) * SYMBOL_BYTES;
    if (textAt(view, names + view.getUint32(symbol, LITTLE_ENDIAN), name.length + 1) === `${name}\0`) {
      return wordAt(view, at);
    }
  }
  throw refusal(`it has no slot for "${name}"`);
}

function offsetOf(address: number, segments: readonly Segment[]): number {
  const segment = segments.find((one) =>
    one.type === PT_LOAD && address >= one.address && address < one.address + one.fileBytes
  );
  if (segment === undefined) throw refusal("its dynamic section names a place that is not loaded");
  return segment.offset + address - segment.address;
}

function segmentAt(view: DataView, at: number): Segment {
  return {
    at,
    type: view.getUint32(at, LITTLE_ENDIAN),
    offset: wordAt(view, at + 8),
    address: wordAt(view, at + 16),
    fileBytes: wordAt(view, at + 32),
    memoryBytes: wordAt(view, at + 40),
  };
}

function wordAt(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, LITTLE_ENDIAN));
}

function textAt(view: DataView, at: number, length: number): string {
  return String.fromCharCode(...Array.from({ length }, (_, index) => view.getUint8(at + index)));
}

function refusal(why: string): Error {
  return new Error(`Cannot embed a program in this runtime: ${why}`);
}
