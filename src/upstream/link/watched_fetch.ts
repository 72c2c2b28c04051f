/**
 * A `fetch` for the older transport, whose answers all come by one stream of events. The SDK opens an ended stream again,
 * but a server begins a new session with it: what was asked before has no answer any more.
 */
import type { Fetch } from "./retry_after.ts";

/** `onEnd` gets the reason why a stream of events ended: it failed, or the server ended it. */
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
