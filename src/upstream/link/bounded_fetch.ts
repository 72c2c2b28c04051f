/**
 * A `fetch` for the SDK's transports that limits a server's answer to the size of a message: the SDK reads bodies to
 * their end. Bytes are counted after decompression, so that a compressed body cannot hide its size.
 */
import { ByteBuffer, startOf } from "../../base/bytes.ts";
import { JsonScan } from "../../wire/json_scan.ts";
import { isObject, parseJson } from "../../wire/json_value.ts";
import { type Excess, excessiveAnswer, excessOf } from "../../wire/message_bounds.ts";
import { boundedEvents } from "./bounded_events.ts";

/** Maximum bytes read of a refusal. */
const LONGEST_REFUSAL = 64 * 1024;
const INTERNAL_ERROR = -32603;

/** Reads a stream of events as long as each is a message in size, another body as a whole, a refusal in part. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const answer = (excess: Excess) => excessAnswer(init?.body, excess);
  const rest = { status, statusText, headers };
  if (!response.ok) return new Response((await startOf(body, LONGEST_REFUSAL)).bytes, rest);
  if (headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") === true) {
    return new Response(body.pipeThrough(boundedEvents((excess) => JSON.stringify(answer(excess)))), rest);
  }
  const scan = new JsonScan();
  const bytes = new ByteBuffer();
  for await (const chunk of body) {
    scan.push(chunk);
    const excess = excessOf(scan);
    if (excess !== undefined) return Response.json(answer(excess));
    bytes.add(chunk);
    chunk.buffer.transfer(0); // Its memory is given back at once.
  }
  const whole = new Response(bytes.take(), rest);
  bytes.release(); // which the response has copied
  return whole;
}

/** The error for the request that was sent. @throws {Error} When the body was no request. */
function excessAnswer(sent: RequestInit["body"], excess: Excess): object {
  const request = typeof sent === "string" ? parseJson(sent) : undefined;
  const id = request?.ok === true && isObject(request.value) ? request.value["id"] : undefined;
  if (typeof id !== "number" && typeof id !== "string") throw new Error(excessiveAnswer(excess));
  return { jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message: excessiveAnswer(excess) } };
}
