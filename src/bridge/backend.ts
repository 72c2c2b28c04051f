/** What answers the messages of one session: our own service in this process, or a server behind pipes. */
import type { InitializeRequest, JSONRPCMessage } from "@modelcontextprotocol/server";
import type { WireId, WireMessage } from "../wire/json_rpc_message.ts";
import type { Refusal } from "./http_error.ts";

/** A message that a client may send. */
export type ClientMessage = Extract<WireMessage, { readonly kind: "request" | "notification" | "response" }>;

/** The way to the session's client. */
export interface ClientLink {
  /** Sends a message; `relatedTo`: the client's request it belongs to. Answers find their request by their id. */
  send(message: JSONRPCMessage, relatedTo?: WireId): void;
  /** Something that kept the session in use is over: from now on it is idle, if nothing else is going on. */
  used(): void;
  /** Ends the session: the backend cannot or may not go on. */
  end(reason: string): void;
}

export interface Backend {
  /**
   * Takes a message of the client, the `initialize` request first. The refusal of a notification becomes its HTTP
   * status; requests are always answered through the link.
   */
  receive(message: ClientMessage): Promise<Refusal | undefined> | undefined;
  /** Whether something it started still runs. */
  readonly isBusy: boolean;
  /** Lets what runs end, with the grace (X14), and resolves when everything has ended; answers are on their way then. */
  finish(): Promise<void>;
  /** Ends all there is. `reason` is told to the client. */
  close(reason: string): Promise<void>;
}

/** Makes the backend of a new session. */
export type OpenBackend = (link: ClientLink, client: InitializeRequest["params"]) => Backend;
