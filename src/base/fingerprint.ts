/** Offset and prime of 64-bit FNV-1a; the second offset makes a second, independent half. */
const OFFSETS = [0xcbf29ce484222325n, 0x84222325cbf29ce4n] as const;
const PRIME = 0x100000001b3n;

/** 32 hexadecimal digits that stand for a text: a name, not a proof; whoever chooses texts can make two alike. */
export function fingerprint(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return OFFSETS.map((offset) => {
    let hash: bigint = offset;
    for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
    return hash.toString(16).padStart(16, "0");
  }).join("");
}
