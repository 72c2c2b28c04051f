/**
 * The interpreter's machine code, from one listing a processor: the bytes of each instruction (hexadecimal, as they
 * stand in memory) and its source for the GNU assembler. A line that begins with `#` is a comment.
 */
import ARM64 from "./interpreter_arm64.lst" with { type: "text" };
import X64 from "./interpreter_x64.lst" with { type: "text" };
import { lazy } from "../../../base/lazy.ts";
import type { Processor } from "../../../system/syscalls.ts";

/** The machine code for one processor. */
export interface Interpreter {
  /** The text of the listing, for the test that assembles it. */
  readonly listing: string;
  readonly code: () => Uint8Array<ArrayBuffer>;
  /** Where in the code a label of the listing stands. */
  readonly placeOf: (label: string) => number;
  /** `e_machine` of the ELF header (linux/elf-em.h). */
  readonly machine: number;
}

/** The interpreter of each processor. */
export const INTERPRETERS: Readonly<Record<Processor, Interpreter>> = {
  x86_64: { ...listed(X64), machine: 62 },
  aarch64: { ...listed(ARM64), machine: 183 },
};

function listed(listing: string): Omit<Interpreter, "machine"> {
  const bytesOf = (text: string) => Uint8Array.fromHex((text.match(/^[0-9a-f]+(?= )/gm) ?? []).join(""));
  const before = (label: string) => listing.slice(0, listing.search(new RegExp(`^[0-9a-f]+ +${label}:`, "m")));
  return { listing, code: lazy(() => bytesOf(listing)), placeOf: (label) => bytesOf(before(label)).length };
}
