/** Messages of the agent's protocol (draft-ietf-sshm-ssh-agent), and OpenSSH's extension that names the host. Pure. */
import { concatenate } from "../../base/bytes.ts";
import { ByteReader } from "../../relay/parse/byte_reader.ts";
import { isWhole, readString, readText, string, uint32 } from "./fields.ts";

/** A key that an agent has. */
export interface Identity {
  /** As the protocol writes public keys. */
  readonly key: Uint8Array;
  readonly comment: string;
}

export interface SignRequest {
  readonly kind: "sign";
  readonly key: Uint8Array;
  readonly data: Uint8Array;
  readonly flags: number;
}

/** The client says which host its connection to it leads to (`session-bind@openssh.com`). */
export interface BindRequest {
  readonly kind: "bind";
  readonly hostKey: Uint8Array;
  readonly sessionId: Uint8Array;
  readonly signature: Uint8Array;
  readonly isForwarding: boolean;
}

export type AgentRequest = { readonly kind: "list" } | SignRequest | BindRequest | { readonly kind: "other" };

const REQUEST_IDENTITIES = 11;
const IDENTITIES_ANSWER = 12;
const SIGN_REQUEST = 13;
const SIGN_RESPONSE = 14;
const EXTENSION = 27;
const SESSION_BIND = "session-bind@openssh.com";

/** Without their length, as all messages here. */
export const FAILED = Uint8Array.of(5);
export const SUCCEEDED = Uint8Array.of(6);
export const LIST_REQUEST = Uint8Array.of(REQUEST_IDENTITIES);
/** Most keys that are read. */
const MOST_IDENTITIES = 1000;

/** A client's request; `other`: one that this server refuses, or a malformed one. */
export function readRequest(message: Uint8Array): AgentRequest {
  const reader = new ByteReader(message);
  const request = requestOf(reader.uint(1), reader);
  return isWhole(reader) ? request : { kind: "other" };
}

function requestOf(type: number, reader: ByteReader): AgentRequest {
  if (type === REQUEST_IDENTITIES) return { kind: "list" };
  if (type === SIGN_REQUEST) {
    return { kind: "sign", key: readString(reader), data: readString(reader), flags: reader.uint(4) };
  }
  if (type !== EXTENSION || readText(reader) !== SESSION_BIND) return { kind: "other" };
  return {
    kind: "bind",
    hostKey: readString(reader),
    sessionId: readString(reader),
    signature: readString(reader),
    isForwarding: reader.uint(1) !== 0,
  };
}

/** The answer to `LIST_REQUEST`. */
export function identitiesAnswer(identities: readonly Identity[]): Uint8Array<ArrayBuffer> {
  return concatenate([
    Uint8Array.of(IDENTITIES_ANSWER),
    uint32(identities.length),
    ...identities.flatMap(({ key, comment }) => [string(key), string(comment)]),
  ]);
}

/** The keys in such an answer; undefined: it is not one. */
export function readIdentities(message: Uint8Array): readonly Identity[] | undefined {
  const reader = new ByteReader(message);
  if (reader.uint(1) !== IDENTITIES_ANSWER) return undefined;
  const count = reader.uint(4);
  if (count > MOST_IDENTITIES) return undefined;
  const identities = Array.from({ length: count }, () => ({ key: readString(reader), comment: readText(reader) }));
  return isWhole(reader) ? identities : undefined;
}

export function signMessage({ key, data, flags }: Omit<SignRequest, "kind">): Uint8Array<ArrayBuffer> {
  return concatenate([Uint8Array.of(SIGN_REQUEST), string(key), string(data), uint32(flags)]);
}

/** Whether a message answers `signMessage` with a signature. */
export function isSignature(message: Uint8Array): boolean {
  const reader = new ByteReader(message);
  return reader.uint(1) === SIGN_RESPONSE && readString(reader).length > 0 && isWhole(reader);
}
