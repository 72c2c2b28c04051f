/** Shows the traffic of the server on a terminal (H9). */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";

export interface Echo {
  /** Shows a message to the server; `session` is the id, of which the beginning is shown. */
  in(session: string, message: unknown): void;
  /** Shows a message of the server. */
  out(session: string, message: JSONRPCMessage): void;
  /** Shows a part of a stream of events to a client. */
  events(session: string, chunk: Uint8Array): void;
  /** Shows a line of a server's stderr. */
  error(session: string, line: string): void;
}

/** Shows nothing. */
export const NO_ECHO: Echo = {
  in() {},
  out() {},
  events() {},
  error() {},
};
