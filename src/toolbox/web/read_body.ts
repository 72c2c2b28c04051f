/** Reads and decompresses the body of an answer within limits, and decodes text (K5). */
import type { Transform } from "node:stream";
import { attempt, UserError } from "../../base/errors.ts";
import { markedEncoding, startOf } from "../../base/bytes.ts";
import type { AddressedAnswer } from "../../system/network/request_to_address.ts";

/** The bytes, and whether there were more. */
export interface ReadBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isCut: boolean;
}

/** The accepted compressions. */
export const ENCODINGS = "gzip, br, deflate";

/** Reads at most `mostBytes` bytes, counted after decompression. @throws {UserError} When the body cannot be read. */
export async function readBody({ body, headers }: AddressedAnswer, mostBytes: number): Promise<ReadBody> {
  const source = await decompressed(body, headers["content-encoding"]);
  try {
    const { bytes, isWhole } = await startOf(source, mostBytes);
    return { bytes, isCut: !isWhole };
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    throw new UserError(`The answer cannot be read: ${thrown.message}`);
  } finally {
    body.destroy();
  }
}

async function decompressed(
  body: AddressedAnswer["body"],
  encoding: string | undefined,
): Promise<AsyncIterable<Uint8Array>> {
  if (encoding === undefined || encoding === "identity") return body;
  const { createGunzip, createBrotliDecompress, createInflate } = await import("node:zlib");
  const makers: Readonly<Record<string, () => Transform>> = {
    gzip: createGunzip,
    "x-gzip": createGunzip,
    br: createBrotliDecompress,
    deflate: createInflate,
  };
  const make = makers[encoding.trim().toLowerCase()];
  if (make === undefined) throw new UserError(`The answer is compressed by "${encoding}", which was not requested`);
  const opened = make();
  body.on("error", (error: Error) => opened.destroy(error));
  return body.pipe(opened);
}

/** Decodes bytes by byte order mark, `charset`, the declaration in HTML, or else as UTF-8. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const named = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1] ?? charsetOfPage(bytes, contentType);
  const charset = markedEncoding(bytes) ?? named ?? "utf-8";
  // The runtime may lack a decoder for a charset.
  const decoder = attempt(RangeError, () => new TextDecoder(charset)) ?? new TextDecoder();
  return decoder.decode(bytes);
}

function charsetOfPage(bytes: Uint8Array, contentType: string): string | undefined {
  if (!/html/i.test(contentType)) return undefined;
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 2048));
  return /<meta[^>]+charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1];
}
