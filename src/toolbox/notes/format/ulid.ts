/** ULIDs: ids that sort by the time of their making and need no counter, so that branches and clones never collide. */

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;
/** Characters of a short form: 40 random bits. */
const SHORT_LENGTH = 8;
/** At least this many of the last characters name an item. */
const SHORTEST_REFERENCE = 7;

/** `random`: 16 bytes. */
export function ulid(now: number, random: Uint8Array): string {
  let time = "";
  for (let rest = now; time.length < TIME_LENGTH; rest = Math.floor(rest / 32)) time = (DIGITS[rest % 32] ?? "") + time;
  return time + Array.from(random.subarray(0, RANDOM_LENGTH), (byte) => DIGITS[byte % 32]).join("");
}

/** A new id. */
export function newUlid(): string {
  return ulid(Date.now(), crypto.getRandomValues(new Uint8Array(RANDOM_LENGTH)));
}

/** The last characters, as names of files have them. */
export function shortForm(id: string): string {
  return id.slice(-SHORT_LENGTH).toLowerCase();
}

/** Whether `reference` is the id, or its last 7 characters or more. */
export function isIdOrEnd(id: string, reference: string): boolean {
  return reference.length >= SHORTEST_REFERENCE && id.toUpperCase().endsWith(reference.toUpperCase());
}
