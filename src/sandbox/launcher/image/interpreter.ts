/**
 * The launcher is a fixed interpreter of a few hundred bytes and a table of system calls (syscalls(2), elf(5)).
 * The machine code never changes and knows nothing of policy; everything that matters is data in the table.
 *
 * An entry is eleven 64-bit words: system call number, six arguments, the address that receives the low 32 bits of
 * the result (0: none), the mode, the expected value (modes `equals`, `compare` and `jump`), and the number of the step.
 */

/** What the interpreter does with the result of an entry. */
export const ENTRY_MODE = {
  /** An error ends the launcher: a report, exit 126, no exec. */
  fatal: 0,
  /** An error is ignored. */
  soft: 1,
  /**
   * The child continues; the parent reports its pid, closes all descriptors, reaps until that child has ended, and
   * exits like it.
   */
  fork: 2,
  /** The result must equal the expected value. */
  equals: 3,
  /** No call: the 64-bit word at the address in the first argument must equal the expected value. */
  compare: 4,
  /** As `fork`, but the parent keeps the report descriptor, reports the child's end and stays until it has no children left, adopted orphans included. */
  forkAll: 5,
  /**
   * Only in reports: the child of a `forkAll` has ended; its wait status is in the second argument. The expected value
   * is 1 when no other process of the tree was left by then, 0 when one was, and 2 when nothing but processes was left either,
   * so that the launcher takes another command. It is 3 when a shell ended that had not taken the command.
   */
  ended: 6,
  /** Only in reports: the entry failed; its errno is in the first argument. */
  failed: 7,
  /** An error is the result (negative) and goes where the result goes. */
  keep: 8,
  /**
   * No call. The word at the address in the first argument, masked by the third, is compared with the expected value. With
   * a fourth argument of 1 an equal word makes the table go on at the entry in the second one, with 0 another word does.
   */
  jump: 9,
  /** No system call, but a function of the C library or of the program that the table is a part of (shared_object.ts). */
  function: 10,
  /** As `function`, and the table is left for good: what called it gets the function's result. */
  leave: 11,
  /** Only in reports: a shell that forks is ready for lines. */
  ready: 12,
} as const;
/** The expected value of the report `ended`. */
export const ENDED = { withOthers: 0, alone: 1, clean: 2, untaken: 3 } as const;

export type EntryMode = Exclude<keyof typeof ENTRY_MODE, "ended" | "failed" | "ready">;

/** Bytes of an entry, and so of a report. */
export const ENTRY_BYTES = 88;

/** The descriptor reports are written to; steps.ts puts the spawned stderr there, close-on-exec. */
export const REPORT_FD = 63;
/** A path that was opened to be named in a rule of Landlock: a fixed number too. */
export const PINNED_FD = 61;

/** A copy of the report descriptor that a waiting shell keeps until it has taken its line. */
export const TAKEN_FD = 62;

/** The report that a command was taken: as many zeros, as text that a shell can write, as a report has bytes. */
export const TAKEN_REPORT = "0".repeat(ENTRY_BYTES);

/** errno a failed `equals` or `compare` is reported with (ESTALE). */
export const MISMATCH_ERRNO = 116;

/**
 * What a serving launcher writes to its stdout: reports as they are (interpreter.ts), and the output of commands in
 * frames. A frame is the word below, the number of bytes (64 bits each), and the bytes. Each is written at once and whole:
 * the kernel keeps together what has at most a page (pipe(7), PIPE_BUF).
 */

/** The first word of a frame: no system call, with whose number a report begins, has this one ("output" as text). */
export const OUTPUT_FRAME = 0x74757074756fn;

/** Bytes before the output in a frame. */
export const FRAME_HEADER_BYTES = 16;

/** Bytes of output that a frame has at most. */
export const FRAME_OUTPUT_BYTES = 4096 - FRAME_HEADER_BYTES;
