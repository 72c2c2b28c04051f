/** DNS over TCP: each message follows its length of two bytes. */
import { concatenate } from "../../base/bytes.ts";
import { HEADER_SIZE } from "./dns_message.ts";

/** A query has one name of at most 255 bytes and an OPT record; options beyond this are not sent by any client. */
const LONGEST_QUERY = 4096;

/**
 * The first message of what came so far, and what follows it. "more": it is incomplete, and at most 4,097 bytes of it
 * must be kept. "invalid": no query has that length; the connection should end.
 */
export function takeFrame(
  bytes: Uint8Array,
): { readonly message: Uint8Array; readonly rest: Uint8Array } | "more" | "invalid" {
  const [high, low] = bytes;
  if (high === undefined || low === undefined) return "more";
  const length = high * 256 + low;
  if (length < HEADER_SIZE || length > LONGEST_QUERY) return "invalid";
  const end = 2 + length;
  return bytes.length < end ? "more" : { message: bytes.subarray(2, end), rest: bytes.subarray(end) };
}

/** An answer, preceded by its length. */
export function framed(message: Uint8Array): Uint8Array<ArrayBuffer> {
  return concatenate([Uint8Array.of(message.length >> 8, message.length & 0xff), message]);
}
