/** Whether a host has signed something with its key: RFC 8709, 8332 and 5656. */
import { concatenate } from "../../base/bytes.ts";
import { undefinedFor } from "../../base/errors.ts";
import { ByteReader } from "../../relay/parse/byte_reader.ts";
import { isWhole, readString, readText } from "../wire/fields.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** How a signature of some algorithm is checked; bytes are those of WebCrypto. */
interface Check {
  readonly format: "raw" | "jwk";
  readonly key: Bytes | JsonWebKey;
  readonly parameters: RsaHashedImportParams | EcKeyImportParams | Algorithm;
  readonly verify: AlgorithmIdentifier | EcdsaParams;
  readonly signature: Bytes;
}

/** ECDSA, by the end of the key's kind. */
const CURVES: Readonly<Record<string, { readonly curve: string; readonly hash: string; readonly bytes: number }>> = {
  nistp256: { curve: "P-256", hash: "SHA-256", bytes: 32 },
  nistp384: { curve: "P-384", hash: "SHA-384", bytes: 48 },
  nistp521: { curve: "P-521", hash: "SHA-512", bytes: 66 },
};
/** RSA, by the signature's algorithm. SHA-1 is not among them. */
const RSA_HASHES: Readonly<Record<string, string>> = { "rsa-sha2-256": "SHA-256", "rsa-sha2-512": "SHA-512" };

/** Also false if the kind of key is unknown or anything is malformed. */
export async function hasSigned(hostKey: Uint8Array, signature: Uint8Array, data: Uint8Array): Promise<boolean> {
  const check = checkOf(hostKey, signature);
  if (check === undefined) return false;
  const { format, key, parameters } = check;
  const imported =
    await (format === "jwk"
      ? crypto.subtle.importKey("jwk", key as JsonWebKey, parameters, NOT_EXTRACTABLE, ["verify"])
      : crypto.subtle.importKey("raw", key as Bytes, parameters, NOT_EXTRACTABLE, ["verify"]))
      .catch(undefinedFor(Error));
  if (imported === undefined) return false;
  return await crypto.subtle.verify(check.verify, imported, check.signature, new Uint8Array(data))
    .catch(undefinedFor(Error)) ?? false;
}

const NOT_EXTRACTABLE: boolean = false;

function checkOf(hostKey: Uint8Array, signature: Uint8Array): Check | undefined {
  const [key, signed] = [new ByteReader(hostKey), new ByteReader(signature)];
  const [kind, algorithm] = [readText(key), readText(signed)];
  const bytes = new Uint8Array(readString(signed));
  if (!isWhole(signed)) return undefined;
  if (kind === "ssh-rsa") return rsaCheck(key, algorithm, bytes);
  if (kind !== algorithm) return undefined;
  if (kind.startsWith("ecdsa-sha2-")) return ecdsaCheck(key, kind.slice("ecdsa-sha2-".length), bytes);
  const point = new Uint8Array(readString(key));
  if (kind !== "ssh-ed25519" || !isWhole(key)) return undefined;
  const ed25519 = { name: "Ed25519" };
  return { format: "raw", key: point, parameters: ed25519, verify: ed25519, signature: bytes };
}

function rsaCheck(key: ByteReader, algorithm: string, signature: Bytes): Check | undefined {
  const hash = RSA_HASHES[algorithm];
  const [e, n] = [withoutZeros(readString(key)), withoutZeros(readString(key))];
  if (hash === undefined || !isWhole(key) || signature.length > n.length) return undefined;
  const name = "RSASSA-PKCS1-v1_5";
  const url = { alphabet: "base64url", omitPadding: true } as const;
  return {
    format: "jwk",
    key: { kty: "RSA", e: e.toBase64(url), n: n.toBase64(url) },
    parameters: { name, hash },
    verify: name,
    signature: padded(signature, n.length),
  };
}

function ecdsaCheck(key: ByteReader, name: string, signature: Bytes): Check | undefined {
  const curve = CURVES[name];
  const isNamed = readText(key) === name;
  const point = new Uint8Array(readString(key));
  const numbers = new ByteReader(signature);
  const [r, s] = [withoutZeros(readString(numbers)), withoutZeros(readString(numbers))];
  if (curve === undefined || !isNamed || !isWhole(key) || !isWhole(numbers)) return undefined;
  if (r.length > curve.bytes || s.length > curve.bytes) return undefined;
  return {
    format: "raw",
    key: point,
    parameters: { name: "ECDSA", namedCurve: curve.curve },
    verify: { name: "ECDSA", hash: curve.hash },
    signature: concatenate([padded(r, curve.bytes), padded(s, curve.bytes)]),
  };
}

function withoutZeros(number: Uint8Array): Uint8Array {
  const first = number.findIndex((byte) => byte !== 0);
  return first === -1 ? number.subarray(number.length) : number.subarray(first);
}

function padded(number: Uint8Array, length: number): Bytes {
  return concatenate([new Uint8Array(Math.max(0, length - number.length)), number]);
}
