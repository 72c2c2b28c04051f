/** This many hexadecimal digits of the SHA-256 distinguish two contents of a file. */
const REV_DIGITS = 12;

/** The fingerprint of a file's content, by which a later call knows whether it is still the same. */
export async function revOf(content: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", content);
  return new Uint8Array(digest).toHex().slice(0, REV_DIGITS);
}
