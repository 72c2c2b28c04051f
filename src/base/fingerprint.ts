import { encodeText } from "./text.ts";

/** Offset and prime of 64-bit FNV-1a; the second offset gives a second, independent half. */
const OFFSETS = [0xcbf29ce484222325n, 0x84222325cbf29ce4n] as const;
const PRIME = 0x100000001b3n;

/**
 * A hash of a text, 32 hexadecimal digits. It is not cryptographic: two texts can be constructed to have the same one.
 * SHA-256 of `node:crypto` would add 13 ms to the start.
 */
export function fingerprint(text: string): string {
  const bytes = encodeText(text);
  return OFFSETS.map((offset) => {
    let hash: bigint = offset;
    for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
    return hash.toString(16).padStart(16, "0");
  }).join("");
}
