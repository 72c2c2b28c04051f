/** ULIDs: ids that sort by creation time and need no counter, so that branches and clones never collide. */

import { base32Digits, randomDigits } from "../../../operation/operation_id.ts";

/** Length of a short form, characters: 40 random bits. */
const SHORT_LENGTH = 8;
/** Minimum number of last characters that identify an item. */
const SHORTEST_REFERENCE = 7;

/** A new id of a time, by default now, milliseconds since 1970. */
export function newUlid(time: number = Date.now()): string {
  return base32Digits(time, 10) + randomDigits(16);
}

/** The short form of an id, as used in file names. */
export function shortForm(id: string): string {
  return id.slice(-SHORT_LENGTH).toLowerCase();
}

/** Whether `reference` is the id, or its last 7 characters or more. */
export function isIdOrEnd(id: string, reference: string): boolean {
  return reference.length >= SHORTEST_REFERENCE && id.toUpperCase().endsWith(reference.toUpperCase());
}
