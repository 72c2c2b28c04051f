/** The data to sign: only these two forms are signed. Pure. */
import { encodeText } from "../../base/text.ts";
import { sameBytes } from "../../base/bytes.ts";
import { ByteReader } from "../../relay/parse/byte_reader.ts";
import { isWhole, readString, readText } from "./fields.ts";

/** A login with a key (RFC 4252 section 7). */
export interface LoginData {
  readonly kind: "login";
  readonly sessionId: Uint8Array;
  readonly user: string;
  readonly algorithm: string;
  readonly key: Uint8Array;
  /** The key of its host, if the client names it; absent: it does not. */
  readonly hostKey?: Uint8Array;
}

/** A file's signature as `ssh-keygen -Y sign` makes it (PROTOCOL.sshsig), for one purpose. */
export interface FileData {
  readonly kind: "file";
  /** Git's is `git`. */
  readonly namespace: string;
}

const USERAUTH_REQUEST = 50;
const CONNECTION = "ssh-connection";
const HOST_BOUND = "publickey-hostbound-v00@openssh.com";
const METHODS: readonly string[] = ["publickey", HOST_BOUND];
const MAGIC = encodeText("SSHSIG");
/** Bytes of the hashes that are signed for files. */
const HASHES: Readonly<Record<string, number>> = { sha256: 32, sha512: 64 };

/**
 * Undefined: it is neither. The first four bytes tell them apart: no session id is as long as `SSHS` read as a length.
 */
export function readSignedData(data: Uint8Array): LoginData | FileData | undefined {
  return sameBytes(data.subarray(0, MAGIC.length), MAGIC) ? readFile(data.subarray(MAGIC.length)) : readLogin(data);
}

function readFile(data: Uint8Array): FileData | undefined {
  const reader = new ByteReader(data);
  const namespace = readText(reader);
  const reserved = readString(reader);
  const length = HASHES[readText(reader)];
  const hash = readString(reader);
  return isWhole(reader) && reserved.length === 0 && hash.length === length ? { kind: "file", namespace } : undefined;
}

function readLogin(data: Uint8Array): LoginData | undefined {
  const reader = new ByteReader(data);
  const sessionId = readString(reader);
  const type = reader.uint(1);
  const user = readText(reader);
  const service = readText(reader);
  const method = readText(reader);
  const hasSignature = reader.uint(1);
  const algorithm = readText(reader);
  const key = readString(reader);
  const hostKey = method === HOST_BOUND ? { hostKey: readString(reader) } : {};
  const isLogin = isWhole(reader) && type === USERAUTH_REQUEST && service === CONNECTION && METHODS.includes(method) &&
    hasSignature === 1;
  return isLogin ? { kind: "login", sessionId, user, algorithm, key, ...hostKey } : undefined;
}
