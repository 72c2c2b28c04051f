/** Searches output for single bytes, four at a time, so that floods cost little (N4). */
const TAB = 0x09;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const DELETE = 0x7f;
/** First byte of U+0080 to U+009F in UTF-8; the second byte is at most 0x9f. */
const C1_LEAD = 0xc2;
const C1_LAST = 0x9f;
/** Below this a plain loop is faster than setting up words. */
const SMALL = 64;
const NO_WORDS = new Uint32Array();

/** Whether UTF-8 text has C0 (not tab, newline, return), DEL or C1; a third of a regular expression's cost. */
export function hasControls(bytes: Uint8Array): boolean {
  const { start, end, words } = inWords(bytes);
  if (anyControl(bytes, 0, start) || anyControl(bytes, end, bytes.length)) return true;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? 0;
    // The top bit of each byte of these says: it is at least 0x20, not a newline, and not DELETE; and of the word
    // itself: it is ASCII. Almost every word passes; the few others are checked byte by byte.
    const low = word & 0x7f7f7f7f;
    const printable = low + 0x60606060;
    const notNewline = (low ^ 0x0a0a0a0a) + 0x7f7f7f7f;
    const notDelete = (low ^ 0x7f7f7f7f) + 0x7f7f7f7f;
    const suspect = ((~printable & notNewline) | ~notDelete | word) & 0x80808080;
    if (suspect !== 0 && anyControl(bytes, start + at * 4, start + at * 4 + 4)) return true;
  }
  return false;
}

function anyControl(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 ? byte !== TAB && byte !== NEWLINE && byte !== CARRIAGE_RETURN : byte === DELETE) return true;
    if (byte === C1_LEAD && isC1Rest(bytes[at + 1])) return true;
  }
  return false;
}

function isC1Rest(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte <= C1_LAST;
}

/** The words of four bytes, and where the bytes before and after them end and begin. */
function inWords(bytes: Uint8Array): { readonly start: number; readonly end: number; readonly words: Uint32Array } {
  const start = bytes.length < SMALL ? bytes.length : (4 - (bytes.byteOffset & 3)) & 3;
  const count = (bytes.length - start) >> 2;
  const words = count === 0 ? NO_WORDS : new Uint32Array(bytes.buffer, bytes.byteOffset + start, count);
  return { start, end: start + count * 4, words };
}

const FOUR_NEWLINES = 0x0a0a0a0a;
/** Counts are added in the four bytes of a word, which could overflow after 255 words. */
const WORDS_PER_ROUND = 255;

/** How many newline bytes there are: about 0.5 ms a MiB. */
export function countNewlines(bytes: Uint8Array): number {
  const { start, end, words } = inWords(bytes);
  let count = countPlainly(bytes, 0, start) + countPlainly(bytes, end, bytes.length);
  for (let from = 0; from < words.length; from += WORDS_PER_ROUND) {
    count += countInWords(words, from, Math.min(words.length, from + WORDS_PER_ROUND));
  }
  return count;
}

/** The index after the `count`th newline, which is there; 0 for none. */
export function afterNewlines(bytes: Uint8Array, count: number): number {
  let at = 0;
  for (let found = 0; found < count; found++) at = bytes.indexOf(NEWLINE, at) + 1;
  return at;
}

/** Keeps whole lines, or else whole characters, but at least one byte. */
export function upToLineEnd(bytes: Uint8Array): Uint8Array {
  const newline = bytes.lastIndexOf(NEWLINE);
  if (newline >= 0) return bytes.subarray(0, newline + 1);
  let end = bytes.length;
  // At most three bytes of a character can be without their first one.
  for (let back = 1; back <= 3 && back < bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    if (byte >= 0xc0) end = bytes.length - back;
    break;
  }
  return bytes.subarray(0, end);
}

function countPlainly(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (bytes[at] === NEWLINE) count++;
  return count;
}

function countInWords(words: Uint32Array, from: number, to: number): number {
  let sums = 0;
  for (let at = from; at < to; at++) {
    // A byte of `other` is zero exactly where the word holds a newline; the next line sets that byte's top bit to zero only there.
    const other = (words[at] ?? 0) ^ FOUR_NEWLINES;
    const nonZero = ((other & 0x7f7f7f7f) + 0x7f7f7f7f) | other;
    sums = (sums + ((~nonZero >>> 7) & 0x01010101)) | 0;
  }
  return (sums & 255) + ((sums >>> 8) & 255) + ((sums >>> 16) & 255) + (sums >>> 24);
}
