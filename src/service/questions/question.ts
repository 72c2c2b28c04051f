/** What another server asks of a client during its call (O2): a form, an address, or a completion of its model. */
import type { LoggingLevel } from "@modelcontextprotocol/server";
import type { Outcome } from "../../base/outcome.ts";
import { isObject, member } from "../../wire/json_value.ts";

import { showsApps } from "./app_capability.ts";

/** A request to a client. */
export interface Question {
  readonly method: "elicitation/create" | "sampling/createMessage";
  readonly params: Readonly<Record<string, unknown>>;
}

/** The client's result unchanged; the problem is a sentence that says why it is missing. */
export type QuestionAnswer = Outcome<Readonly<Record<string, unknown>>>;

type Members = Readonly<Record<string, unknown>>;

/** The questions that a client takes, in the form of its capabilities. */
export interface ClientOffers {
  /** Absent: none; `form` and `url` are its modes. */
  readonly elicitation?: Members;
  /** Absent: none. */
  readonly sampling?: Members;
  /** It shows pages of tools (V4). */
  readonly apps?: true;
}

/** What a server tells a client. */
export interface ClientNotice {
  readonly method: "notifications/message" | "notifications/elicitation/complete";
  readonly params: Members;
}

/** The client of one call, as a server that works on it may ask it. */
export interface AskedClient {
  /** The same object for calls of one client, as far as its transport tells. */
  readonly owner: object;
  readonly offers: ClientOffers;
  /** Whether a question can reach it now. */
  readonly canAsk: boolean;
  /** The least important level of log messages that it wants; undefined: it did not ask for any. */
  readonly logLevel: LoggingLevel | undefined;
  /** Sends a notification, where the protocol has a way for it now. */
  notify(notice: ClientNotice): void;
  /** Puts a question; never rejects. Aborting `signal` takes it back. */
  ask(question: Question, signal: AbortSignal): Promise<QuestionAnswer>;
}

/** What `capabilities` of a client say; an elicitation without a mode is one by forms, as before there were modes. */
export function offersOf(capabilities: unknown): ClientOffers {
  const elicitation = member(capabilities, "elicitation");
  const sampling = member(capabilities, "sampling");
  return {
    ...isObject(elicitation) && { elicitation: withMode(elicitation) },
    ...isObject(sampling) && { sampling },
    ...showsApps(capabilities) && { apps: true },
  };
}

function withMode(elicitation: Members): Members {
  return "form" in elicitation || "url" in elicitation ? elicitation : { ...elicitation, form: {} };
}

/** The capabilities of either of two clients. */
export function joinedOffers(one: ClientOffers, other: ClientOffers): ClientOffers {
  const elicitation = { ...one.elicitation, ...other.elicitation };
  const sampling = one.sampling ?? other.sampling;
  return {
    ...(one.elicitation ?? other.elicitation) !== undefined && { elicitation },
    ...sampling !== undefined && { sampling: { ...one.sampling, ...other.sampling } },
  };
}

/** Whether a client with these offers takes the question. */
export function takes({ elicitation, sampling }: ClientOffers, { method, params }: Question): boolean {
  if (method === "elicitation/create") return elicitation !== undefined && (modeOf(params) in elicitation);
  const needsTools = params["tools"] !== undefined || params["toolChoice"] !== undefined;
  return sampling !== undefined && (!needsTools || "tools" in sampling);
}

/** The mode of an elicitation; absent in the request: a form. */
export function modeOf(params: Members): string {
  const { mode = "form" } = params;
  return String(mode);
}
