/** A `fetch` that gives a busy server the time it asks for, and says how long that is where it is too long. */
import { delay } from "../../base/time.ts";
import { retryAfterMs } from "../../system/network/retry_after.ts";
import { boundedFetch } from "./bounded_fetch.ts";

/** The part of `fetch` that transports use. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** A server took no request and named when it does again; nothing of the request has happened. */
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
      const wait = init?.method === "POST" ? askedWait(response, now()) : undefined;
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

/** Milliseconds that a server asks for; undefined: it is not busy, or does not say how long. */
function askedWait({ status, headers }: Pick<Response, "status" | "headers">, now: number): number | undefined {
  return BUSY.includes(status) ? retryAfterMs(headers, now) : undefined;
}

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
