/**
 * Sessions that share one child server (H2, H10), each with its own ids, tokens and answers. The server's log belongs
 * to no session, and its requests to "the client" are refused.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { Backend, ClientLink, ClientMessage, OpenBackend } from "../session/backend.ts";
import {
  answerFor,
  cancelReason,
  type ChildServerOptions,
  ClientCalls,
  type InitializeAnswer,
  OWN_INITIALIZE,
  paramsOf,
  PROGRESS,
} from "./client_calls.ts";
import { BAD_REQUEST } from "../../http/refusal.ts";
import type { StartChildServer } from "../../child_server/child_server.ts";
import { Supervisor } from "../../child_server/supervisor.ts";

interface SharedBackendsOptions extends ChildServerOptions {
  readonly start: StartChildServer;
}

const METHOD_NOT_FOUND = -32601;
const NO_START = { code: BAD_REQUEST, message: "The server process does not start" };
/** Notifications that concern every client; log messages and states of tasks name no client. */
const FOR_ALL_REGEXP = /^notifications\/(tools|resources|prompts)\/list_changed$/;

export class SharedBackends {
  readonly #options: SharedBackendsOptions;
  readonly #server: Supervisor;
  readonly #sessions = new Set<SharedBackend>();

  /** Starts the server. */
  constructor(options: SharedBackendsOptions) {
    this.#options = options;
    const { start, handshakeTimeout, onErrorLine, log } = options;
    this.#server = new Supervisor({
      start,
      initialize: OWN_INITIALIZE,
      onMessage: (message) => this.#receive(message),
      onErrorLine,
      onReady: () => this.#subscribeAgain(),
      handshakeTimeout,
      log,
    });
  }

  /** The first answer to `initialize`. Rejects when the server gave none. */
  get initialized(): Promise<InitializeAnswer> {
    return this.#server.initialized;
  }

  /** Opens a session with this server. */
  readonly open: OpenBackend = (link, client) => {
    const answer = this.#server.initialized.then((given) => answerFor(client, forMany(given)));
    return new SharedBackend({ link, server: this.#server, answer, ...this.#options, sessions: this.#sessions });
  };

  /** Ends the server. */
  close(): Promise<void> {
    return this.#server.close(this.#options.graceMs);
  }

  #receive(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) return this.#refuseRequest(message.id, message.method);
    const { method } = message;
    const uri = method === "notifications/resources/updated" ? message.params?.["uri"] : undefined;
    if (message.method === PROGRESS) return void [...this.#sessions].some((session) => session.progress(message));
    const forAll = FOR_ALL_REGEXP.test(message.method);
    for (const session of this.#sessions) {
      // Only the fields of the protocol are copied to each session; others that the server adds may be long.
      if (typeof uri === "string" && session.subscriptions.has(uri)) {
        session.tellUpdate({ jsonrpc: "2.0", method, params: { uri } });
      } else if (forAll) session.tell({ jsonrpc: "2.0", method });
    }
  }

  #refuseRequest(id: string | number, method: string): void {
    if (method === "ping") return this.#server.send({ jsonrpc: "2.0", id, result: {} });
    this.#server.send({ jsonrpc: "2.0", id, error: notAvailable(method) });
  }

  /** Subscribes a restarted server again, which knows of no subscriptions. */
  #subscribeAgain(): void {
    const uris = new Set([...this.#sessions].flatMap((session) => [...session.subscriptions]));
    for (const uri of uris) this.#server.call({ method: "resources/subscribe", params: { uri } });
  }
}

interface SharedParts extends Pick<ChildServerOptions, "requestTimeout" | "graceMs"> {
  readonly link: ClientLink;
  readonly server: Supervisor;
  readonly answer: Promise<InitializeAnswer>;
  /** All open sessions; each adds and removes itself. */
  readonly sessions: Set<SharedBackend>;
}

class SharedBackend implements Backend {
  readonly #parts: SharedParts;
  readonly #calls: ClientCalls;
  /** URIs of the resources that this session subscribed to. */
  readonly subscriptions = new Set<string>();

  constructor(parts: SharedParts) {
    this.#parts = parts;
    this.#calls = new ClientCalls({ link: parts.link, timeout: parts.requestTimeout });
    parts.answer.catch(() => {});
    parts.sessions.add(this);
  }

  get isBusy(): boolean {
    return this.#calls.size > 0;
  }

  tell(message: JSONRPCMessage): void {
    this.#parts.link.send(message);
  }

  /** Passes on an update that only this client subscribed to; it keeps the session in use (H8). */
  tellUpdate(message: JSONRPCMessage): void {
    this.tell(message);
    this.#parts.link.used();
  }

  /** Whether the message is progress of an answered call of this session. */
  progress(message: JSONRPCMessage): boolean {
    return this.#calls.lateProgress(message);
  }

  receive(message: ClientMessage): undefined {
    const { link, server, answer } = this.#parts;
    if (message.kind === "notification" && message.cancels !== undefined) {
      this.#calls.cancel(message.cancels, server, cancelReason(message.message));
    }
    if (message.kind !== "request") return;
    const { id, method } = message;
    if (method === "initialize") {
      answer.then(
        (result) => link.send({ jsonrpc: "2.0", id, result }),
        () => link.send({ jsonrpc: "2.0", id, error: NO_START }),
      );
      return;
    }
    if (method === "ping" || this.#isOnlyOurs(message)) return link.send({ jsonrpc: "2.0", id, result: {} }), undefined;
    if (method.startsWith("tasks/")) {
      return link.send({ jsonrpc: "2.0", id, error: notAvailable(method) }), undefined;
    }
    void this.#calls.make(message, server);
  }

  finish(): Promise<void> {
    return this.#calls.settled(this.#parts.graceMs);
  }

  close(): Promise<void> {
    const { server, sessions } = this.#parts;
    sessions.delete(this);
    this.#calls.cancelAll(server);
    for (const uri of this.subscriptions) {
      if (!this.#othersSubscribe(uri)) server.call({ method: "resources/unsubscribe", params: { uri } });
    }
    return Promise.resolve();
  }

  /** Notes subscriptions; true: the server is not told of an unsubscription, because another session keeps it. */
  #isOnlyOurs({ method, message }: Extract<ClientMessage, { kind: "request" }>): boolean {
    const uri = paramsOf(message)?.["uri"];
    if (typeof uri !== "string") return false;
    if (method === "resources/subscribe") this.subscriptions.add(uri);
    return method === "resources/unsubscribe" && this.subscriptions.delete(uri) && this.#othersSubscribe(uri);
  }

  #othersSubscribe(uri: string): boolean {
    return [...this.#parts.sessions].some((other) => other !== this && other.subscriptions.has(uri));
  }
}

function notAvailable(method: string) {
  return { code: METHOD_NOT_FOUND, message: `${method} is not available: several clients share this server` };
}

/** The answer without log and tasks, which name no client. */
function forMany(answer: InitializeAnswer): InitializeAnswer {
  const { capabilities } = answer;
  if (typeof capabilities !== "object" || capabilities === null) return answer;
  const { logging: _log, tasks: _tasks, ...rest } = capabilities as Readonly<Record<string, unknown>>;
  return { ...answer, capabilities: rest };
}
