/** A connection to one server, over any transport. */
import type { Logger } from "../../base/log.ts";
import type { Answer } from "../../child_server/pending_calls.ts";
import type { ClientOffers } from "../../service/questions/question.ts";

export interface LinkRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** How long the server may be silent, milliseconds; each progress message restarts it. */
  readonly timeoutMs: number;
  /** Gets the parameters of each progress notification. */
  readonly onProgress?: (params: Readonly<Record<string, unknown>>) => void;
  /** Answers what the server asks before it gives the result (SEP-2322); absent: nothing may be asked. */
  readonly onQuestion?: AnswerRequest;
  /** The schema of the called tool, if arguments must also be sent as headers; absent: none must. */
  readonly headerSchema?: Readonly<Record<string, unknown>>;
  /** Aborted: the server is notified, and the answer is an error. */
  readonly signal?: AbortSignal;
}

/** A server's description of itself when it connected. */
export interface Hello {
  readonly protocolVersion: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Its instructions; undefined: it gives none. */
  readonly instructions: string | undefined;
  /** As it names itself; undefined: it does not. */
  readonly server: { readonly name: string; readonly version: string } | undefined;
}

/** Answers a request of a server; never rejects. */
export type AnswerRequest = (method: string, params: unknown) => Promise<Answer>;

export interface Link {
  /** Of the newest connection. */
  readonly hello: Hello;
  /** The answer, or an error that says whether a repeat is safe; never rejects. */
  request(request: LinkRequest): Promise<Answer>;
  /** Ends the connection, and a process that was started for it. */
  close(): Promise<void>;
}

export interface LinkHooks {
  /** Capabilities of clients, for the server. */
  readonly offers: ClientOffers;
  /** Answers each request of the server but those that the link answers itself. */
  readonly onRequest: AnswerRequest;
  /** Called for each notification that belongs to no request. */
  readonly onNotification: (method: string, params: unknown) => void;
  /** Called with the reason when the connection is down; it reopens by itself or with the next request. */
  readonly onDown: (reason: string) => void;
  /** Called when it is up again. */
  readonly onUp: () => void;
  /** Called with each denial of the server's sandbox, as a sentence. */
  readonly onDenied: (sentence: string) => void;
  /** Called when the server has restarted and lost its state. */
  readonly onFresh: () => void;
  /** Whether a tool of the server is being called now. */
  readonly isCalled: () => boolean;
  /** Whether a tool changes nothing, so that a lost call of it is safe to repeat. */
  readonly isReadOnlyTool: (name: string) => boolean;
  /** Aborted: the opening is given up. */
  readonly stop: AbortSignal;
  readonly log: Logger;
}

/** Opens a connection; rejects with the reason for a person. */
export type OpenLink = (hooks: LinkHooks) => Promise<Link>;

/** The error of a request that the caller cancelled. */
export const CANCELLED: Answer = { error: { code: -32000, message: "The call was cancelled" } };
