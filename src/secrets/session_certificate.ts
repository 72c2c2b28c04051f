/** The certificate that a session's commands see for hosts with secrets (S33), and the authority that signed it (RFC
 * 5280). The authority's key is discarded at once, so that it never signs another.
 */
import { ECDSASigValue } from "@peculiar/asn1-ecc";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from "@peculiar/asn1-x509";

/** PEM. */
export interface SessionCertificate {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

const KEY = { name: "ECDSA", namedCurve: "P-256" } as const;
const SIGNING = { name: "ECDSA", hash: "SHA-256" } as const;
const EXTRACTABLE = true;
const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
const COMMON_NAME = "2.5.4.3";
const CRITICAL = true;
const DAY_MS = 86_400_000;
/** Clients refuse certificates that are valid much longer. */
const DAYS = 390;
const SERIAL_BYTES = 16;

/** A new one for these hosts. */
export async function makeCertificate(hosts: readonly string[]): Promise<SessionCertificate> {
  const [authority, server] = await Promise.all([newKeys(), newKeys()]);
  const issuer = named("ahma_mcp session authority");
  const keyIdentifier = await crypto.subtle.digest("SHA-1", await publicKeyOf(authority));
  const names = hosts.map((dNSName) => new GeneralName({ dNSName }));
  const sign = async (subject: Name, keys: CryptoKeyPair, extensions: readonly Extension[]) =>
    await signed({ subject, issuer, publicKey: await publicKeyOf(keys), signer: authority.privateKey, extensions });
  return {
    authority: await sign(issuer, authority, [
      extension(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 }), CRITICAL),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign), CRITICAL),
      extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyIdentifier)),
    ]),
    certificate: await sign(named("ahma_mcp"), server, [
      extension(id_ce_basicConstraints, new BasicConstraints(), CRITICAL),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), CRITICAL),
      extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
      extension(
        id_ce_authorityKeyIdentifier,
        new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(keyIdentifier) }),
      ),
      extension(id_ce_subjectAltName, new SubjectAlternativeName(names)),
    ]),
    key: pem("PRIVATE KEY", await crypto.subtle.exportKey("pkcs8", server.privateKey)),
  };
}

async function newKeys(): Promise<CryptoKeyPair> {
  return await crypto.subtle.generateKey(KEY, EXTRACTABLE, ["sign", "verify"]);
}

async function publicKeyOf({ publicKey }: CryptoKeyPair): Promise<ArrayBuffer> {
  return await crypto.subtle.exportKey("spki", publicKey);
}

function named(commonName: string): Name {
  const value = new AttributeValue({ utf8String: commonName });
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: COMMON_NAME, value })])]);
}

function extension(extnID: string, value: object, critical?: boolean): Extension {
  const extnValue = new OctetString(AsnConvert.serialize(value));
  return new Extension({ extnID, extnValue, ...critical !== undefined && { critical } });
}

interface Unsigned {
  readonly subject: Name;
  readonly issuer: Name;
  readonly publicKey: ArrayBuffer;
  readonly signer: CryptoKey;
  readonly extensions: readonly Extension[];
}

async function signed({ subject, issuer, publicKey, signer, extensions }: Unsigned): Promise<string> {
  const signatureAlgorithm = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const serial = crypto.getRandomValues(new Uint8Array(SERIAL_BYTES));
  serial[0] = 1; // positive, and of this length
  const now = Date.now();
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: serial.buffer,
    signature: signatureAlgorithm,
    issuer,
    subject,
    // Clocks differ.
    validity: new Validity({ notBefore: new Date(now - DAY_MS), notAfter: new Date(now + DAYS * DAY_MS) }),
    subjectPublicKeyInfo: AsnConvert.parse(publicKey, SubjectPublicKeyInfo),
    extensions: new Extensions([...extensions]),
  });
  const raw = await crypto.subtle.sign(SIGNING, signer, AsnConvert.serialize(tbsCertificate));
  const half = raw.byteLength / 2;
  const signatureValue = AsnConvert.serialize(
    new ECDSASigValue({ r: withSign(raw.slice(0, half)), s: withSign(raw.slice(half)) }),
  );
  return pem(
    "CERTIFICATE",
    AsnConvert.serialize(new Certificate({ tbsCertificate, signatureAlgorithm, signatureValue })),
  );
}

/** As an ASN.1 integer: shortest form, and positive. */
function withSign(bytes: ArrayBuffer): ArrayBuffer {
  const number = new Uint8Array(bytes);
  const first = number.findIndex((byte) => byte !== 0);
  const shortest = number.subarray(first);
  return (shortest[0] ?? 0) < 0x80 ? shortest.slice().buffer : Uint8Array.of(0, ...shortest).buffer;
}

function pem(label: string, bytes: ArrayBuffer): string {
  const lines = new Uint8Array(bytes).toBase64().replaceAll(/.{1,64}/g, "$&\n");
  return `-----BEGIN ${label}-----\n${lines}-----END ${label}-----\n`;
}
