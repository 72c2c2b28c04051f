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
