/** Reads and writes fields of SSH (RFC 4251 section 5). Pure. */
import { concatenate } from "../../base/bytes.ts";
import { encodeText } from "../../base/text.ts";
import type { ByteReader } from "../../relay/parse/byte_reader.ts";

/** A string: its length and its bytes, as a view of the same memory. */
export function readString(reader: ByteReader): Uint8Array {
  return reader.take(reader.uint(4));
}

/** A string of text. Invalid bytes and byte order marks never equal a known word. */
export function readText(reader: ByteReader): string {
  return DECODER.decode(readString(reader));
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** Whether all was read and nothing was missing. */
export function isWhole({ isShort, left }: ByteReader): boolean {
  return !isShort && left === 0;
}

/** The bytes of a number. */
export function uint32(value: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/** The bytes of a string. */
export function string(value: Uint8Array | string): Uint8Array<ArrayBuffer> {
  const bytes = typeof value === "string" ? encodeText(value) : value;
  return concatenate([uint32(bytes.length), bytes]);
}
