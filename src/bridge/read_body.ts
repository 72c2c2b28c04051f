import { failure, type Outcome, success } from "../base/outcome.ts";

/** The largest message (C2, H8), in bytes. */
export const LARGEST_BODY = 16 * 1024 * 1024;

/** The body of a request, or that it is larger than `limit` bytes; no more than that is ever kept. */
export async function readBody(
  request: Request,
  limit: number = LARGEST_BODY,
): Promise<Outcome<Uint8Array, "too_large">> {
  if (Number(request.headers.get("content-length")) > limit) return failure("too_large");
  const { body } = request;
  if (body === null) return success(new Uint8Array(0));
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) return failure("too_large");
    chunks.push(chunk);
  }
  const [only] = chunks;
  return success(chunks.length === 1 && only !== undefined ? only : joined(chunks, size));
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
