import { REPORT_FD } from "./interpreter.ts";

/** The lowest descriptor that the mount steps use: below are the command's own. */
export const FIRST_FD = 3;
/** A number that stays taken while places that may be missing are opened. */
export const HELD_FD = 62;

/** For `close_range`: every number there is. */
const LAST_FD = 0xffffffff;

/**
 * The numbers of descriptors that are opened one after the other: the lowest that are free, once everything but 0, 1, 2
 * and the report descriptor is closed. Several entries of a table name each, so they are known before.
 */
export class DescriptorNumbers {
  readonly #taken: readonly number[];
  #next = FIRST_FD;

  /** `holds`: `HELD_FD` is taken too. */
  constructor({ holds }: { readonly holds: boolean }) {
    this.#taken = holds ? [HELD_FD, REPORT_FD] : [REPORT_FD];
  }

  /** Whether numbers beyond the report descriptor were taken. */
  get passedReports(): boolean {
    return this.#next > REPORT_FD;
  }

  /** Ranges of all numbers that were not taken, from the first to the last. */
  get free(): readonly (readonly [number, number])[] {
    const ends = [...this.#taken.filter((number) => number >= this.#next).toSorted((a, b) => a - b), LAST_FD + 1];
    return ends.map((end, index) => [Math.max(this.#next, (ends[index - 1] ?? 0) + 1), end - 1] as const)
      .filter(([first, last]) => first <= last);
  }

  /** The number of the next one. */
  take(): number {
    while (this.#taken.includes(this.#next)) this.#next++;
    return this.#next++;
  }
}
