/** Digits of Crockford's base 32, the alphabet of a ULID: no I, L, O, U. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_DIGITS = 10;
/** 32,768 ids in one millisecond, more than can be made in it. */
const COUNT_DIGITS = 3;
const RANDOM_DIGITS = 13;
const SHORT_DIGITS = 8;

/**
 * Makes operation ids: `op_` and a ULID (X11). Each sorts after the one before. The usual way to that, counting up the
 * random part, would make the next id guessable; so of its 80 bits 15 count within the millisecond and 65 stay random.
 */
export class OperationIds {
  #time = 0;
  #count = 0;

  /** A new id; `now` is in milliseconds since 1970. Ids stay in order even if the clock is set back. */
  next(now: number): string {
    const time = Math.floor(now);
    if (time > this.#time) {
      this.#time = time;
      this.#count = 0;
    } else {
      this.#count++;
    }
    return `op_${base32Digits(this.#time, TIME_DIGITS)}${base32Digits(this.#count, COUNT_DIGITS)}${
      randomDigits(RANDOM_DIGITS)
    }`;
  }
}

/** `op_` and 8 random digits (40 bits), for one client: unguessable, and cheap for its model to repeat. */
export function shortId(): string {
  return `op_${randomDigits(SHORT_DIGITS)}`;
}

/** Whether `text` has the form of an operation id. */
export function isOperationId(text: string): boolean {
  return /^op_(?:[0-9A-HJKMNP-TV-Z]{8}|[0-9A-HJKMNP-TV-Z]{26})$/.test(text);
}

/** The last `count` digits of an integer from 0. */
export function base32Digits(value: number, count: number): string {
  let rest = value;
  let digits = "";
  for (let place = 0; place < count; place++) {
    digits = DIGITS.charAt(rest % 32) + digits;
    rest = Math.floor(rest / 32);
  }
  return digits;
}

/** Random digits, five bits each. */
export function randomDigits(count: number): string {
  // 256 is a multiple of 32, so five bits of each byte give uniform digits.
  return Array.from(crypto.getRandomValues(new Uint8Array(count)), (byte) => DIGITS.charAt(byte & 31)).join("");
}
