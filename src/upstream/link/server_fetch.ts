/** The `fetch` of connections: limits answers to the size of a message, and waits as a busy server asks. */
import { ByteBuffer, startOf } from "../../base/bytes.ts";
import { JsonScan } from "../../wire/json_scan.ts";
import { isObject, parseJson } from "../../wire/json_value.ts";
import { type Excess, excessiveAnswer, excessOf } from "../../wire/message_bounds.ts";
import { boundedEvents } from "./bounded_events.ts";
import { delay } from "../../base/time.ts";
import { retryAfterMs } from "../../system/network/retry_after.ts";

/** Maximum bytes read of a refusal. */
const LONGEST_REFUSAL = 64 * 1024;
const INTERNAL_ERROR = -32603;

/** Events within a message's size, other bodies whole, refusals in part; counted after decompression. */
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
    chunk.buffer.transfer(0); // Its memory is freed at once.
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

/** The part of `fetch` that transports use. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** A server refused a request and said when it accepts it; nothing of the request has happened. */
export class BusyServer extends Error {
  readonly retryAfterMs: number;

  constructor(status: number, retryAfterMs: number) {
    super(`The server is busy (HTTP ${status}) and takes requests again in ${Math.ceil(retryAfterMs / 1000)} s`);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Too many requests; not available at this time. */
const BUSY: readonly number[] = [429, 503];
/** All waits for one request together, milliseconds: shorter than the timeout of its caller. */
const LONGEST_WAIT_MS = 10_000;
const MOST_TRIES = 4;

/** Repeats a refused POST when `Retry-After` says so. The fetch throws a `BusyServer` for a time that is too long. */
export function fetchWithRetryAfter(fetch: Fetch, now: () => number = Date.now): Fetch {
  return async (url, init) => {
    for (let [tries, waited] = [1, 0];; tries++) {
      const response = await fetch(url, init);
      const isBusy = init?.method === "POST" && BUSY.includes(response.status);
      const wait = isBusy ? retryAfterMs(response.headers, now()) : undefined;
      if (wait === undefined) return response;
      await response.body?.cancel();
      if (tries === MOST_TRIES || waited + wait > LONGEST_WAIT_MS) throw new BusyServer(response.status, wait);
      waited += wait;
      if (!await delay(wait, init?.signal ?? undefined)) init?.signal?.throwIfAborted();
    }
  };
}

/** The `fetch` for transports to servers: within bounds, and patient. */
export const serverFetch: Fetch = fetchWithRetryAfter(boundedFetch);

/** How long a busy server refuses requests, milliseconds; undefined: the failure has another cause. */
export function busyFor(thrown: unknown): number | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof BusyServer) return error.retryAfterMs;
  }
  return undefined;
}

/** Whether a status says that the request was not taken. */
export function isBusyStatus(status: number | undefined): boolean {
  return status !== undefined && BUSY.includes(status);
}

/**
 * A `fetch` for the older transport, whose answers all come by one stream of events. The SDK opens an ended stream
 * again, but a server begins a new session with it: what was asked before has no answer any more. `onEnd` gets the
 * reason why a stream ended: it failed, or the server ended it.
 */
export function watchedFetch(fetch: Fetch, onEnd: (reason: Error) => void): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { body, status, statusText, headers } = response;
    const isEvents = headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") === true;
    return body === null || !isEvents ? response : new Response(watched(body, onEnd), { status, statusText, headers });
  };
}

function watched(body: ReadableStream<Uint8Array>, onEnd: (reason: Error) => void): ReadableStream<Uint8Array> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
      onEnd(new Error("The server ended the stream of its answers"));
    } catch (thrown) {
      onEnd(thrown instanceof Error ? thrown : new Error(String(thrown)));
      throw thrown;
    }
  }
  return ReadableStream.from(chunks());
}
