/** Limits how much work a remote server can cause in the SDK's client. */
import type { JSONRPCMessage, StreamableHTTPClientTransportOptions, Transport } from "@modelcontextprotocol/client";
import { member } from "../../wire/json_value.ts";

/** Unread answers to the server's own requests; further ones are not sent. */
const MOST_ANSWERS = 32;
/** Minimum milliseconds between two attempts to reopen a stream, whatever the server asks for. */
const SHORTEST_PAUSE_MS = 1_000;

type OpenAgainLater = NonNullable<StreamableHTTPClientTransportOptions["reconnectionScheduler"]>;

/** Opens an ended stream again after the pause that the server asked for, at most once a second. */
export function throttledReconnect(...[reconnect, delayMs]: Parameters<OpenAgainLater>): () => void {
  const timer = setTimeout(reconnect, Math.max(SHORTEST_PAUSE_MS, delayMs));
  return () => clearTimeout(timer);
}

/** Makes `transport` drop answers to requests of a server that does not read earlier ones. */
export function limitAnswers(transport: Transport): Transport {
  const send = transport.send.bind(transport);
  let waiting = 0;
  transport.send = async (message, options) => {
    if ("method" in message) return await send(message, options);
    if (waiting >= MOST_ANSWERS) return;
    waiting++;
    try {
      await send(message, options);
    } finally {
      waiting--;
    }
  };
  return transport;
}

/** What the SDK sees of 2026-07-28 results; its schemas would explain each of thousands of wrong items. */
const NOTHING_IN_IT = {
  resultType: "complete",
  ttlMs: 0,
  cacheScope: "private",
  ...Object.fromEntries(
    ["content", "tools", "prompts", "resources", "resourceTemplates", "contents", "messages"].map((name) => [name, []]),
  ),
  completion: { values: [] },
};
const WHOLE = "ahma/whole";
const OURS = /^(?:tools|prompts|resources|completion)\//;

/** The result as the server gave it, from the placeholder that the SDK's client returns. */
export function wholeResult(result: unknown): unknown {
  return member(result, WHOLE) ?? result;
}

function hideResult(message: JSONRPCMessage): void {
  if (!("result" in message) || message.result["resultType"] !== "complete") return;
  message.result = { ...NOTHING_IN_IT, [WHOLE]: message.result };
}

/** Ends reading when a request is cancelled, before `connect`; the SDK only notifies. Hides results. */
export function endCancelled(transport: Transport): Transport {
  const send = transport.send.bind(transport);
  const open = new Map<unknown, { readonly end: AbortController; readonly isOurs: boolean }>();
  // The SDK's client calls it too.
  transport.onmessage = (message) => {
    if ("method" in message) return;
    if (open.get(message.id)?.isOurs) hideResult(message);
    open.delete(message.id);
  };
  transport.send = async (message, options) => {
    if (!("method" in message)) return await send(message, options);
    if (!("id" in message)) {
      const cancelled = message.method === "notifications/cancelled" ? member(message.params, "requestId") : undefined;
      open.get(cancelled)?.end.abort();
      open.delete(cancelled);
      return await send(message, options);
    }
    const end = new AbortController();
    open.set(message.id, { end, isOurs: OURS.test(message.method) });
    try {
      await send(message, { ...options, requestSignal: options?.requestSignal ?? end.signal });
    } catch (thrown) {
      open.delete(message.id);
      throw thrown;
    }
  };
  return transport;
}
