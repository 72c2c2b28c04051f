/** Public keys: their kinds, fingerprints and files. Pure. */
import { attempt } from "../../base/errors.ts";
import { ByteReader } from "../../relay/parse/byte_reader.ts";
import { readText } from "./fields.ts";

/** The kind named in the key, such as `ssh-ed25519`. */
export function keyKind(key: Uint8Array): string {
  return readText(new ByteReader(key));
}

/** As ssh-keygen writes it: `SHA256:` and base64 without padding. */
export async function fingerprintOf(key: Uint8Array): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(key)));
  return `SHA256:${hash.toBase64({ omitPadding: true })}`;
}

/** The key in `ssh-ed25519 AAAA... comment`; undefined: there is none, or its kind differs from the named one. */
export function parsePublicKey(text: string): Uint8Array | undefined {
  const [kind = "", base64 = ""] = text.trim().split(/\s+/, 2);
  const key = attempt(SyntaxError, () => Uint8Array.fromBase64(base64));
  return key !== undefined && kind !== "" && keyKind(key) === kind ? key : undefined;
}

/** The line of a file of public keys, without a comment. */
export function publicKeyText(key: Uint8Array): string {
  return `${keyKind(key)} ${key.toBase64()}`;
}
