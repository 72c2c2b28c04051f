/** A short JWT that proves a client with a key (O8, RFC 7523 section 2.2), its audience the issuer (rfc7523bis). */
import { UserError } from "../../../base/errors.ts";
import { encodeText } from "../../../base/text.ts";
import { readPrivateText } from "../../../system/reading/private_text.ts";

export interface AssertionRequest {
  readonly clientId: string;
  /** A PEM file, or a JWK with all numbers of the private key. */
  readonly keyFile: string;
  /** Undefined: that of a JWK, or none. */
  readonly keyId: string | undefined;
  readonly issuer: string;
  /** What the authorization server takes; undefined: it does not say. */
  readonly algorithms: readonly string[] | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** How one algorithm signs. */
interface Signing {
  readonly hash: string | null;
  readonly padding?: number;
  readonly saltLength?: number;
  readonly dsaEncoding?: "ieee-p1363";
}

const LARGEST_FILE = 64 * 1024;
const LIFETIME_SECONDS = 120;
const FEWEST_RSA_BITS = 2048;
/** RSA_PKCS1_PSS_PADDING. */
const PSS = { padding: 6, saltLength: 32 } as const;
const EC = { dsaEncoding: "ieee-p1363" } as const;
const SIGNING: Readonly<Record<string, Signing>> = {
  RS256: { hash: "sha256" },
  PS256: { hash: "sha256", ...PSS },
  ES256: { hash: "sha256", ...EC },
  ES384: { hash: "sha384", ...EC },
  ES512: { hash: "sha512", ...EC },
  EdDSA: { hash: null },
};
/** By the kind of key: the first is taken where the authorization server does not say. */
const OF_KIND: Readonly<Record<string, readonly string[]>> = {
  rsa: ["RS256", "PS256"],
  prime256v1: ["ES256"],
  secp384r1: ["ES384"],
  secp521r1: ["ES512"],
  ed25519: ["EdDSA"],
};

/** @throws {UserError} when the key cannot be used; the message shows nothing of it */
export async function clientAssertion(request: AssertionRequest): Promise<string> {
  const { clientId, keyFile, issuer, algorithms, now } = request;
  const refuse = (why: string) => new UserError(`Cannot use private key "${keyFile}": ${why}`);
  const text = await readPrivateText(keyFile, LARGEST_FILE);
  if (!text.ok) throw refuse(text.problem);
  const { key, keyId = request.keyId } = await parseKey(text.value).catch(() => {
    throw refuse("it is no private key as PEM or JWK, or has a password. Convert it: openssl pkcs8 -topk8 -nocrypt");
  });
  const kind = key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? "";
  const possible = OF_KIND[kind];
  if (possible === undefined || (key.asymmetricKeyDetails?.modulusLength ?? FEWEST_RSA_BITS) < FEWEST_RSA_BITS) {
    throw refuse(`it is none of RSA with ${FEWEST_RSA_BITS} bits, EC (P-256, P-384, P-521) or Ed25519`);
  }
  const algorithm = possible.find((one) => algorithms?.includes(one) !== false);
  if (algorithm === undefined) {
    throw refuse(`it signs with ${possible.join(" or ")}, and "${issuer}" takes ${algorithms?.join(", ")} only`);
  }
  const seconds = Math.floor(now / 1000);
  const claims = { iss: clientId, sub: clientId, aud: issuer, iat: seconds, exp: seconds + LIFETIME_SECONDS };
  const signed = [
    { alg: algorithm, typ: "JWT", ...keyId !== undefined && { kid: keyId } },
    { ...claims, jti: crypto.randomUUID() },
  ].map((part) => base64url(encodeText(JSON.stringify(part)))).join(".");
  const { hash = null, ...options } = SIGNING[algorithm] ?? {};
  const { sign } = await import("node:crypto");
  return `${signed}.${base64url(new Uint8Array(sign(hash, encodeText(signed), { key, ...options })))}`;
}

async function parseKey(text: string) {
  const { createPrivateKey } = await import("node:crypto");
  if (!text.trimStart().startsWith("{")) return { key: createPrivateKey(text) };
  const key: JsonWebKey & { readonly kid?: string } = JSON.parse(text);
  return { key: createPrivateKey({ key: { ...key }, format: "jwk" }), keyId: key.kid };
}

function base64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
