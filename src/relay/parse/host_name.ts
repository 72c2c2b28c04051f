/** Host names from untrusted DNS, TLS and HTTP messages, in the one form in which they are compared. Pure. */

/** What real names have, and nothing that a list, a log or another parser could read differently. */
const LABEL = /^[A-Za-z0-9_-]{1,63}$/;
const LONGEST_NAME = 253;
/** Digits, or `0x` and digits: programs take a name that ends like this for an IPv4 address. */
const NUMERIC_END = /(?:^|\.)(?:\d+|0[xX][0-9A-Fa-f]*)$/;

/** The labels in lower case, without a trailing dot. Undefined: one is empty, too long or of other bytes, or all is. */
export function nameOfLabels(labels: readonly string[]): string | undefined {
  const name = labels.join(".");
  return name.length <= LONGEST_NAME && labels.every((label) => LABEL.test(label)) ? name.toLowerCase() : undefined;
}

/** The same for a name with dots. A trailing dot is refused: clients send none. */
export function hostNameOf(text: string): string | undefined {
  return nameOfLabels(text.split("."));
}

/** Whether programs take it for an IPv4 address, in any spelling: `127.0.0.1`, `127.1`, `0x7f000001`. */
export function isNumericHost(text: string): boolean {
  return NUMERIC_END.test(text);
}

/** At most 16 KiB of bytes as one character each, so that different bytes become different texts. */
export function byteText(bytes: Uint8Array): string {
  // Ten times as fast as with spread arguments.
  return Reflect.apply(String.fromCharCode, undefined, bytes);
}

/** The bytes of such a text. */
export function textBytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
