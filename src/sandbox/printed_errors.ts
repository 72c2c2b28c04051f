/**
 * Errors in what a command printed, by the names and numbers that runtimes print in every language of messages: Node's
 * `EROFS`, Python's `[Errno 30]`, Rust's `(os error 30)`. Pure.
 */

/** Errors that denials of the sandbox end in, by errno (asm-generic/errno.h; netdb.h for the negative one). */
const NUMBERS = {
  EPERM: 1,
  EACCES: 13,
  EBUSY: 16,
  EROFS: 30,
  ENETUNREACH: 101,
  EAI_AGAIN: -3,
} as const;

export type ErrorName = keyof typeof NUMBERS;

/** Whether a line of output has one of these errors in it. */
export function printsError(line: string, names: readonly ErrorName[]): boolean {
  return names.some((name) => {
    const number = `(?:Errno|os error|errno:?) ${NUMBERS[name]}\\b`;
    return new RegExp(`\\b${name}\\b|${number}`, "u").test(line);
  });
}
