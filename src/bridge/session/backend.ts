/** A backend answers the messages of one session: our service in this process, or a child server. */
import type { InitializeRequest, JSONRPCMessage } from "@modelcontextprotocol/server";
import type { WireId, WireMessage } from "../../wire/json_rpc_message.ts";
import type { Refusal } from "../../http/refusal.ts";

/** A message that a client may send. */
export type ClientMessage = Extract<WireMessage, { readonly kind: "request" | "notification" | "response" }>;

/** Leads to the session's client. */
export interface ClientLink {
  /** Sends a message; `relatedTo`: the client's request it belongs to. Answers find their request by their id. */
  send(message: JSONRPCMessage, relatedTo?: WireId): void;
  /** Notes the end of something that kept the session in use; without other work the session is idle from now on. */
  used(): void;
  /** Ends the session, because the backend cannot or may not continue. */
  end(reason: string): void;
}

export interface Backend {
  /** Takes a message, `initialize` first. A refused notification has its HTTP status; requests are answered. */
  receive(message: ClientMessage): Promise<Refusal | undefined> | undefined;
  /** Whether anything that it started still runs. */
  readonly isBusy: boolean;
  /** Lets running work end within the grace (X14); resolves when it has ended and its answers are sent. */
  finish(): Promise<void>;
  /** Ends everything. The client gets `reason`. */
  close(reason: string): Promise<void>;
}

/** Makes the backend of a new session. */
export type OpenBackend = (link: ClientLink, client: InitializeRequest["params"]) => Backend;
