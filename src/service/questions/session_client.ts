/** A client up to 2025-11-25, which takes requests of its server at any time. */
import type { LoggingLevel, Notification } from "@modelcontextprotocol/server";
import { messageOf } from "../../base/errors.ts";
import { failure, success } from "../../base/outcome.ts";
import { isObject } from "../../wire/json_value.ts";
import type { LogLevel } from "../sdk/log_level.ts";
import type { ClientLink } from "../sdk/client_link.ts";
import {
  type AskedClient,
  type ClientNotice,
  type ClientOffers,
  modeOf,
  type Question,
  type QuestionAnswer,
} from "./question.ts";

/** Time that a person has for an answer, milliseconds. */
export const ANSWER_MS = 600_000;

export interface SessionClientParts {
  readonly owner: ClientLink;
  readonly offers: ClientOffers;
  /** The call that may ask; undefined: its questions go to the connection. */
  readonly request: AskingRequest | undefined;
  /** Undefined: the connection has no log. */
  readonly level: LogLevel | undefined;
}

/** Sends messages that belong to a call. */
interface AskingRequest {
  readonly notify: (notification: Notification) => Promise<void>;
  readonly ask: ClientLink["ask"];
}

export class SessionClient implements AskedClient {
  readonly owner: ClientLink;
  readonly offers: ClientOffers;
  readonly canAsk = true;
  #request: SessionClientParts["request"];
  readonly #level: LogLevel | undefined;

  constructor({ owner, offers, request, level }: SessionClientParts) {
    this.owner = owner;
    this.offers = offers;
    this.#request = request;
    this.#level = level;
  }

  get logLevel(): LoggingLevel | undefined {
    return this.#level?.chosen;
  }

  notify({ method, params }: ClientNotice): void {
    const notification = { method, params: { ...params } };
    const sending = this.#request?.notify(notification) ?? this.owner.notification(notification);
    // A client that has gone reads nothing.
    sending.catch(() => {});
  }

  /** To be called when the call is answered: what it asks as an operation goes to the connection. */
  answered(): void {
    this.#request = undefined;
  }

  async ask(question: Question, signal: AbortSignal): Promise<QuestionAnswer> {
    const options = { timeout: ANSWER_MS, signal };
    try {
      const sent = withId(question);
      const result = await (this.#request ?? this.owner).ask(sent, options);
      return isObject(result) ? success(result) : failure("The client's answer is not an object");
    } catch (thrown) {
      return failure(`The client gave no answer: ${messageOf(thrown)}`);
    }
  }
}

/** These versions want an id with each address for the user. */
function withId({ method, params }: Question): { readonly method: string; readonly params: Record<string, unknown> } {
  const isWithout = method === "elicitation/create" && modeOf(params) === "url" &&
    params["elicitationId"] === undefined;
  return { method, params: { ...params, ...isWithout && { elicitationId: crypto.randomUUID() } } };
}
