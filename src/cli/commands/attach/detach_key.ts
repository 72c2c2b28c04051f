/** Finds ctrl-] among what a person types (X24). Pure. */

/** Its code. */
export const DETACH_CODE = 0x1d;
/** As terminals write it where a program has asked for keys with their modifiers (kitty, xterm). */
const WRITTEN = ["\x1b[93;5u", "\x1b[27;5;93~"];

/** What precedes the key; undefined: it is not there, and all is for the operation. */
export function beforeDetachKey(bytes: Uint8Array): Uint8Array | undefined {
  const text = String.fromCharCode(...bytes);
  const places = [bytes.indexOf(DETACH_CODE), ...WRITTEN.map((one) => text.indexOf(one))].filter((at) => at >= 0);
  return places.length === 0 ? undefined : bytes.subarray(0, Math.min(...places));
}
