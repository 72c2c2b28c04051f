/** ULIDs: ids that sort by the time of their making and need no counter, so that branches and clones never collide. */

import { base32Digits, randomDigits } from "../../../operation/operation_id.ts";

/** Characters of a short form: 40 random bits. */
const SHORT_LENGTH = 8;
/** At least this many of the last characters name an item. */
const SHORTEST_REFERENCE = 7;

/** A new id of a time, by default now, milliseconds since 1970. */
export function newUlid(time: number = Date.now()): string {
  return base32Digits(time, 10) + randomDigits(16);
}

/** The last characters, as names of files have them. */
export function shortForm(id: string): string {
  return id.slice(-SHORT_LENGTH).toLowerCase();
}

/** Whether `reference` is the id, or its last 7 characters or more. */
export function isIdOrEnd(id: string, reference: string): boolean {
  return reference.length >= SHORTEST_REFERENCE && id.toUpperCase().endsWith(reference.toUpperCase());
}
