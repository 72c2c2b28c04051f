/**
 * The server name of a TLS client's first message, read strictly while it arrives: nothing is sent on before it is
 * known. Encrypted Client Hello (RFC 9849) hides the name behind a cover, with which one listed name opens every name
 * of its host; dummies of browsers (GREASE) look alike. So it is a result of its own, to be refused: other clients need
 * a key from DNS, which the resolver never gives. Pure.
 */
import { concatenate } from "../../base/bytes.ts";
import { ByteReader } from "../parse/byte_reader.ts";
import { byteText, hostNameOf, isNumericHost } from "../parse/host_name.ts";

export type ServerName =
  /** The message is incomplete. */
  | { readonly state: "more" }
  /** In lower case. */
  | { readonly state: "name"; readonly name: string }
  /** The client names no server. */
  | { readonly state: "none" }
  /** The true name is encrypted. */
  | { readonly state: "encrypted" }
  /** It begins as TLS and is not a message that a TLS client sends; `reason` follows "the ClientHello". */
  | { readonly state: "invalid"; readonly reason: string }
  | { readonly state: "not-tls" };

const HANDSHAKE_RECORD = 22;
const RECORD_HEADER = 5;
const LARGEST_RECORD = 16_384;
const CLIENT_HELLO = 1;
/** Type and length. */
const MESSAGE_HEADER = 4;
const LARGEST_MESSAGE = 16_384;
/** Most records: a message in records of one byte would be read again and again. */
const MOST_RECORDS = 32;
const SERVER_NAME = 0;
const HOST_NAME = 0;
/** That of RFC 9849 with its drafts, and the older encrypted server name. */
const ENCRYPTED: readonly number[] = [0xfe08, 0xfe09, 0xfe0a, 0xfe0b, 0xfe0c, 0xfe0d, 0xffce];

/** The longest beginning of a connection that can be "more". */
export const LONGEST_CLIENT_HELLO = MESSAGE_HEADER + LARGEST_MESSAGE + MOST_RECORDS * RECORD_HEADER;

/** The verdict on all bytes that a client has sent so far. What follows the message is ignored. */
export function readServerName(bytes: Uint8Array): ServerName {
  const message = handshakeMessage(bytes);
  return message instanceof Uint8Array ? nameIn(new ByteReader(message)) : message;
}

/** Whether a server name is the one that was asked for. */
export function isSameName(serverName: string, asked: string): boolean {
  const name = hostNameOf(serverName);
  return name !== undefined && name === hostNameOf(asked);
}

/** The body of the first message, joined from its records. */
function handshakeMessage(bytes: Uint8Array): Uint8Array | ServerName {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let at = 0; at < bytes.length;) {
    const [type, major = 3] = bytes.subarray(at);
    if (type !== HANDSHAKE_RECORD || major !== 3) return at === 0 ? { state: "not-tls" } : invalid("is interrupted");
    if (parts.length >= MOST_RECORDS) return invalid("has too many parts");
    const header = bytes.subarray(at, at + RECORD_HEADER);
    if (header.length < RECORD_HEADER) break;
    const size = new ByteReader(header.subarray(3)).uint(2);
    if (size === 0 || size > LARGEST_RECORD) return invalid("has a part of a wrong length");
    const part = bytes.subarray(at + RECORD_HEADER, at + RECORD_HEADER + size);
    parts.push(part);
    length += part.length;
    const message = wholeMessage(parts, length);
    if (message !== undefined) return message;
    at += RECORD_HEADER + size;
  }
  return { state: "more" };
}

/** Undefined: it is incomplete. */
function wholeMessage(parts: readonly Uint8Array[], length: number): Uint8Array | ServerName | undefined {
  if (length === 0) return undefined;
  const start = concatenate(parts.slice(0, MESSAGE_HEADER)).subarray(0, MESSAGE_HEADER);
  const reader = new ByteReader(start);
  if (reader.uint(1) !== CLIENT_HELLO) return invalid("is another message");
  const size = reader.uint(3);
  if (reader.isShort) return undefined;
  if (size > LARGEST_MESSAGE) return invalid("is too long");
  return length < MESSAGE_HEADER + size
    ? undefined
    : concatenate(parts).subarray(MESSAGE_HEADER, MESSAGE_HEADER + size);
}

function nameIn(hello: ByteReader): ServerName {
  hello.take(2 + 32); // version, random bytes
  hello.sized(1); // session
  hello.sized(2); // ciphers
  hello.sized(1); // compressions
  if (hello.isShort) return invalid("is cut off");
  if (hello.left === 0) return { state: "none" };
  const extensions = hello.sized(2);
  if (hello.isShort || hello.left > 0) return invalid("has a wrong length");
  const names: ByteReader[] = [];
  let isEncrypted = false;
  while (extensions.left > 0) {
    const type = extensions.uint(2);
    const content = extensions.sized(2);
    if (type === SERVER_NAME) names.push(content);
    isEncrypted ||= ENCRYPTED.includes(type);
  }
  if (extensions.isShort) return invalid("has an extension that is cut off");
  if (isEncrypted) return { state: "encrypted" };
  const [name, ...others] = names;
  if (name === undefined) return { state: "none" };
  return others.length > 0 ? invalid("names the server twice") : onlyName(name);
}

/** The one name of the list in the extension. A truncated name reads as empty, which is invalid. */
function onlyName(extension: ByteReader): ServerName {
  const list = extension.sized(2);
  const type = list.uint(1);
  const bytes = list.take(list.uint(2));
  if (extension.left > 0 || list.left > 0 || type !== HOST_NAME) {
    return invalid("has a list of names that is not one name");
  }
  const name = hostNameOf(byteText(bytes));
  return name === undefined || isNumericHost(name)
    ? invalid("has a server name that is not the name of a host")
    : { state: "name", name };
}

function invalid(reason: string): ServerName {
  return { state: "invalid", reason };
}
