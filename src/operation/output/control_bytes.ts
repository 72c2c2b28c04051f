/** Bytes of these make text unclean; tab, newline and carriage return are left to others. */
const TAB = 0x09;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const DELETE = 0x7f;
/** In UTF-8, U+0080 to U+009F are this byte and the one after it up to 0x9f. */
const C1_LEAD = 0xc2;
const C1_LAST = 0x9f;
/** Below this a plain loop is faster than setting up words. */
const SMALL = 64;

/**
 * Whether UTF-8 text holds a control character other than tab, newline and carriage return (C0, DEL or C1). Looks at
 * four bytes at a time, so that most output costs a third of what a regular expression takes over its text (N4).
 */
export function hasControls(bytes: Uint8Array): boolean {
  if (bytes.length < SMALL) return anyControl(bytes, 0, bytes.length);
  const start = (4 - (bytes.byteOffset & 3)) & 3;
  const wordCount = (bytes.length - start) >> 2;
  if (anyControl(bytes, 0, start) || anyControl(bytes, start + wordCount * 4, bytes.length)) return true;
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + start, wordCount);
  for (let at = 0; at < wordCount; at++) {
    const word = words[at] ?? 0;
    // The top bit of each byte of these says: it is at least 0x20, it is no newline, it is no DELETE; and of the word
    // itself: it is ASCII. Almost every word passes; what the few others hold is looked at byte by byte.
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
