/** Classic BPF as seccomp takes it (linux/filter.h, linux/seccomp.h): instructions, and the bytes the kernel reads. */
import { LITTLE_ENDIAN } from "../../system/c_library.ts";

/** The operations a filter uses: the only ones the kernel can also work out ahead of time, so hot calls cost nothing. */
export const OPERATION = {
  /** A = the 32-bit word at offset k of `struct seccomp_data`. */
  load: 0x20,
  /** A = A & k */
  and: 0x54,
  /** Go on k instructions further. */
  jump: 0x05,
  jumpIfEqual: 0x15,
  jumpIfGreater: 0x25,
  jumpIfAtLeast: 0x35,
  /** When A and k have a bit in common. */
  jumpIfAnyBit: 0x45,
  /** The verdict is k. */
  verdict: 0x06,
} as const;

/** `struct sock_filter` */
export interface Instruction {
  readonly code: number;
  /** Instructions skipped when the condition holds, 0 to 255. */
  readonly whenTrue: number;
  /** Instructions skipped when it does not, 0 to 255. */
  readonly whenFalse: number;
  readonly k: number;
}

/** Offsets in `struct seccomp_data`. */
export const SECCOMP_DATA = { number: 0, architecture: 4, arguments: 16, bytes: 64 } as const;

/** Verdicts; `errno(n)` lets the call fail with that error. */
export const VERDICT = {
  allow: 0x7fff0000,
  killProcess: 0x80000000,
  errno: (errno: number): number => 0x00050000 | errno,
} as const;

/** Bytes of one instruction. */
const INSTRUCTION_BYTES = 8;

/** The program as the kernel reads it. */
export function encode(program: readonly Instruction[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(program.length * INSTRUCTION_BYTES);
  const view = new DataView(bytes.buffer);
  program.forEach(({ code, whenTrue, whenFalse, k }, index) => {
    const at = index * INSTRUCTION_BYTES;
    view.setUint16(at, code, LITTLE_ENDIAN);
    view.setUint8(at + 2, whenTrue);
    view.setUint8(at + 3, whenFalse);
    view.setUint32(at + 4, k, LITTLE_ENDIAN);
  });
  return bytes;
}
