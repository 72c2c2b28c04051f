/** Keeps a server at an address from making the SDK's client work without end. */
import type { StreamableHTTPClientTransportOptions, Transport } from "@modelcontextprotocol/client";

/** Answers to requests of the server that it has not taken; more of them are not sent. */
const MOST_ANSWERS = 32;
/** Between two tries to open a stream again, whatever the server asks for, milliseconds. */
const SHORTEST_PAUSE_MS = 1_000;

type OpenAgainLater = NonNullable<StreamableHTTPClientTransportOptions["reconnectionScheduler"]>;

/** Opens an ended stream again after the pause that the server asked for, at most once a second. */
export function calmReconnection(...[reconnect, delayMs]: Parameters<OpenAgainLater>): () => void {
  const timer = setTimeout(reconnect, Math.max(SHORTEST_PAUSE_MS, delayMs));
  return () => clearTimeout(timer);
}

/** Makes `transport` drop answers to requests of a server that does not take those it got. */
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
