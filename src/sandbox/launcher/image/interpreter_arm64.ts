import type { Interpreter } from "./interpreter.ts";

/**
 * The interpreter for aarch64. Left: the bytes that run; right: their source
 * (GNU assembler), which a test assembles and compares. See interpreter.ts for what an entry means.
 */
const LISTING: Interpreter["listing"] = [
  // One register walks the table; it starts where image.ts puts it (TABLE_ADDRESS).
  ["138080d2", "_start: movz x19, #0x400"],
  ["130ca0f2", "movk x19, #0x60, lsl #16"],
  // Load one entry and make its system call; a comparison makes none.
  ["692240f9", "loop: ldr x9, [x19, #64]"],
  ["3f1100f1", "cmp x9, #4"],
  ["c0020054", "b.eq compare"],
  ["680240f9", "ldr x8, [x19]"],
  ["608640a9", "ldp x0, x1, [x19, #8]"],
  ["628e41a9", "ldp x2, x3, [x19, #24]"],
  ["649642a9", "ldp x4, x5, [x19, #40]"],
  ["010000d4", "svc #0"],
  ["1ffc3fb1", "cmn x0, #4095"],
  ["c2020054", "b.cs failed"],
  ["3f0900f1", "cmp x9, #2"],
  ["c0030054", "b.eq forked"],
  ["3f1500f1", "cmp x9, #5"],
  ["80030054", "b.eq forked"],
  ["3f0d00f1", "cmp x9, #3"],
  ["81000054", "b.ne store"],
  ["6a2640f9", "ldr x10, [x19, #72]"],
  ["1f000aeb", "cmp x0, x10"],
  ["61010054", "b.ne mismatch"],
  // Hand the result (a descriptor) to a later entry or struct, if the entry asks for it.
  ["6a1e40f9", "store: ldr x10, [x19, #56]"],
  ["4a0000b4", "cbz x10, next"],
  ["400100b9", "str w0, [x10]"],
  ["73620191", "next: add x19, x19, #88"],
  ["e9ffff17", "b loop"],
  // Mode 4: the 64-bit word at the first argument must equal the expected one.
  ["6a0640f9", "compare: ldr x10, [x19, #8]"],
  ["400140f9", "ldr x0, [x10]"],
  ["6a2640f9", "ldr x10, [x19, #72]"],
  ["1f000aeb", "cmp x0, x10"],
  ["40ffff54", "b.eq next"],
  // A wrong result or word is reported as errno 116 (ESTALE).
  ["600e8092", "mismatch: mov x0, #-116"],
  ["03000014", "b fatal"],
  // Mode 1 goes on after an error; every other mode stops here.
  ["3f0500f1", "failed: cmp x9, #1"],
  ["c0feff54", "b.eq next"],
  // Write the entry with its errno to the report descriptor and exit 126: execve is never reached.
  ["e00300cb", "fatal: neg x0, x0"],
  ["600600f9", "str x0, [x19, #8]"],
  ["e90080d2", "mov x9, #7"],
  ["692200f9", "str x9, [x19, #64]"],
  ["33000094", "bl report"],
  ["c00f8052", "mov w0, #126"],
  ["c80b80d2", "exit: mov x8, #94"],
  ["010000d4", "svc #0"],
  // Modes 2 and 5: the child goes on with the table; the parent reports its pid.
  ["a0fdffb4", "forked: cbz x0, next"],
  ["f40300aa", "mov x20, x0"],
  ["600600f9", "str x0, [x19, #8]"],
  ["2c000094", "bl report"],
  ["000080d2", "mov x0, #0"],
  ["c10780d2", "mov x1, #62"],
  ["3f0900f1", "cmp x9, #2"],
  ["2114819a", "cinc x1, x1, eq"],
  ["020080d2", "mov x2, #0"],
  ["883680d2", "mov x8, #436"],
  ["010000d4", "svc #0"],
  // Reap whatever ends, adopted orphans too, until the child of this entry has ended.
  ["00008092", "wait: mov x0, #-1"],
  ["61420091", "add x1, x19, #16"],
  ["020080d2", "mov x2, #0"],
  ["030080d2", "mov x3, #0"],
  ["882080d2", "mov x8, #260"],
  ["010000d4", "svc #0"],
  ["1f1000b1", "cmn x0, #4"],
  ["20ffff54", "b.eq wait"],
  ["e002f8b7", "tbnz x0, #63, ended"],
  ["1f0014eb", "cmp x0, x20"],
  ["c1feff54", "b.ne wait"],
  ["751240b9", "ldr w21, [x19, #16]"],
  ["3f0900f1", "cmp x9, #2"],
  ["40020054", "b.eq ended"],
  // It has ended: reap what ended before it, and say whether anything is left (ECHILD: nothing).
  ["c90080d2", "mov x9, #6"],
  ["692200f9", "str x9, [x19, #64]"],
  ["00008092", "left: mov x0, #-1"],
  ["61620091", "add x1, x19, #24"],
  ["220080d2", "mov x2, #1"],
  ["030080d2", "mov x3, #0"],
  ["882080d2", "mov x8, #260"],
  ["010000d4", "svc #0"],
  ["1f0000f1", "cmp x0, #0"],
  ["2cffff54", "b.gt left"],
  ["1f2800b1", "cmn x0, #10"],
  ["61000054", "b.ne tell"],
  ["2a0080d2", "mov x10, #1"],
  ["6a2600f9", "str x10, [x19, #72]"],
  ["08000094", "tell: bl report"],
  ["140080d2", "mov x20, #0"],
  ["e2ffff17", "b wait"],
  // Exit as the child did: its code, or 128 + the signal that ended it.
  ["a07e0853", "ended: lsr w0, w21, #8"],
  ["b51a0072", "ands w21, w21, #0x7f"],
  ["40faff54", "b.eq exit"],
  ["a0020211", "add w0, w21, #128"],
  ["d0ffff17", "b exit"],
  // write(REPORT_FD, entry, 88)
  ["e00780d2", "report: mov x0, #63"],
  ["e10313aa", "mov x1, x19"],
  ["020b80d2", "mov x2, #88"],
  ["080880d2", "mov x8, #64"],
  ["010000d4", "svc #0"],
  ["c0035fd6", "ret"],
];

/** The aarch64 interpreter. */
export const INTERPRETER_ARM64: Interpreter = {
  listing: LISTING,
  /** EM_AARCH64 (linux/elf-em.h) */
  machine: 183,
};
