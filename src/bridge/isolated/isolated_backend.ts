/**
 * A session with its own child server (H3), which starts once the client has named the scope, and gets the requests
 * that waited. A crashed one is restarted with that scope (H6); other roots end the session (H5).
 */
import type { InitializeRequest, JSONRPCMessage } from "@modelcontextprotocol/server";
import { messageOf } from "../../base/errors.ts";
import type { Outcome } from "../../base/outcome.ts";
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";
import type { Backend, ClientLink, ClientMessage, OpenBackend } from "../session/backend.ts";
import {
  answerFor,
  cancelReason,
  type ChildServerOptions,
  type ClientCall,
  ClientCalls,
  type InitializeAnswer,
  paramsOf,
  PROGRESS,
} from "../backends/client_calls.ts";
import { ClientRequests } from "../backends/client_requests.ts";
import { BAD_REQUEST, type Refusal, refuse } from "../../http/refusal.ts";
import { ScopeNegotiation } from "./scope_negotiation.ts";
import type { Answer } from "../../child_server/pending_calls.ts";
import type { StartChildServer } from "../../child_server/child_server.ts";
import { WORK_CAPABILITY, WORK_METHOD } from "../../service/notify/notifier.ts";
import { ClientSubscriptions } from "../backends/client_subscriptions.ts";
import { Supervisor } from "../../child_server/supervisor.ts";

/** Starts the child servers of one scope. */
export interface ChildSource {
  readonly start: StartChildServer;
  close(): Promise<void>;
}

/** Facts about a child server that runs our own program; it also signals when operations are active. */
export interface OwnProgram {
  /** Listed name of `status`. */
  readonly statusName: string;
  readonly isReadOnlyTool: (name: string) => boolean;
}

interface IsolatedOptions extends ChildServerOptions {
  /** The answer of every such child server to `initialize`. */
  readonly initializeAnswer: InitializeAnswer;
  /** The real directory that a root names, if a session may have it; the problem is worded for the user. */
  readonly settle: (path: string) => Outcome<PinnedDirectory>;
  /** `--sandbox-scope`, for clients without roots; undefined: not given. */
  readonly fallback: readonly PinnedDirectory[] | undefined;
  readonly open: (scopes: readonly PinnedDirectory[]) => Promise<ChildSource>;
  /** Landlock's ABI, which the client gets with the scope (S17); 0: nothing is enforced or reported. */
  readonly abi: number;
  /** Undefined: the child servers are not this program. */
  readonly own: OwnProgram | undefined;
}

/** Opens sessions with this backend. */
export function isolatedBackends(options: IsolatedOptions): OpenBackend {
  return (link, client) => new IsolatedBackend(options, link, client);
}

class IsolatedBackend implements Backend {
  readonly #options: IsolatedOptions;
  readonly #link: ClientLink;
  readonly #client: InitializeRequest["params"];
  readonly #calls: ClientCalls;
  readonly #clientRequests: ClientRequests;
  readonly #negotiation: ScopeNegotiation;
  /** Requests that wait for the scope. */
  #waiting: ClientCall[] = [];
  readonly #subscriptions = new ClientSubscriptions();
  /** Whether operations of the child run or wait, as the child signals it. */
  #worksOnOperations = false;
  #source: Promise<ChildSource> | undefined;
  #server: Supervisor | undefined;
  #closed = false;

  constructor(options: IsolatedOptions, link: ClientLink, client: InitializeRequest["params"]) {
    this.#options = options;
    this.#link = link;
    this.#client = client;
    const { fallback, handshakeTimeout } = options;
    this.#calls = new ClientCalls({
      link,
      timeout: options.requestTimeout,
      onAnswer: (request, answer) => this.#subscriptions.note(request, answer),
    });
    this.#clientRequests = new ClientRequests((message) => link.send(message));
    this.#negotiation = new ScopeNegotiation({
      hasRoots: client.capabilities.roots !== undefined,
      fallback,
      timeoutMs: handshakeTimeout.ms,
      settle: options.settle,
      ask: (...words) => this.#clientRequests.ask(...words),
      onLocked: (scopes) => void this.#start(scopes),
      onRefused: (problem) => this.#fail(problem),
    });
  }

  get isBusy(): boolean {
    return this.#calls.size > 0 || this.#waiting.length > 0 || this.#worksOnOperations;
  }

  receive(message: ClientMessage): Promise<Refusal | undefined> | undefined {
    if (message.kind === "notification") return this.#notification(message);
    if (message.kind === "request") this.#request(message);
    else this.#clientRequests.answered(message.message);
    return undefined;
  }

  async finish(): Promise<void> {
    this.#closed = true;
    this.#negotiation.close();
    this.#clientRequests.close();
    this.#refuseWaiting("The session is ending");
    await this.#server?.close(this.#options.graceMs);
  }

  async close(reason: string): Promise<void> {
    if (this.#source !== undefined) {
      this.#link.send({ jsonrpc: "2.0", method: "notifications/sandbox/terminated", params: { reason } });
      await this.#source.then((source) => source.close(), () => {});
    }
  }

  #request(request: ClientCall): void {
    const { id, method } = request;
    if (method === "initialize") {
      const result = answerFor(this.#client, this.#options.initializeAnswer);
      return this.#link.send({ jsonrpc: "2.0", id, result });
    }
    if (method === "ping") return this.#link.send({ jsonrpc: "2.0", id, result: {} });
    const { problem } = this.#negotiation;
    if (problem !== undefined) return this.#refuse(request, problem);
    if (this.#server === undefined) this.#waiting.push(request);
    else void this.#calls.make(request, this.#server);
  }

  #notification(message: Extract<ClientMessage, { kind: "notification" }>): Promise<Refusal | undefined> | undefined {
    const { message: inner, cancels } = message;
    if (cancels !== undefined) {
      this.#waiting = this.#waiting.filter(({ id }) => id !== cancels);
      if (this.#server !== undefined) this.#calls.cancel(cancels, this.#server, cancelReason(inner));
      return undefined;
    }
    const method = "method" in inner ? inner.method : "";
    if (method === "notifications/roots/list_changed") return this.#rootsChanged();
    if (method === "notifications/initialized") this.#negotiation.initialized();
    else this.#server?.send(inner);
    return undefined;
  }

  async #start(scopes: readonly PinnedDirectory[]): Promise<void> {
    const { log, handshakeTimeout, onErrorLine, abi, own } = this.#options;
    log.info("Session is locked to its scope", { scopes: scopes.map(({ path }) => path) });
    this.#source = this.#options.open(scopes);
    let source: ChildSource;
    try {
      source = await this.#source;
    } catch (thrown) {
      return this.#negotiation.fail(messageOf(thrown));
    }
    if (this.#closed) return;
    const server: Supervisor = new Supervisor({
      start: source.start,
      initialize: this.#childInitialize(),
      onMessage: (message) => this.#fromServer(message, scopes),
      onErrorLine,
      onEnd: () => this.#rests(),
      onReady: (times) => {
        if (times > 1) this.#cameBack(server);
        if (abi === 0) return;
        const params = { scope: scopes[0]?.path, abi };
        this.#link.send({ jsonrpc: "2.0", method: "notifications/sandbox/configured", params });
      },
      handshakeTimeout,
      ...own !== undefined && { isReadOnlyTool: own.isReadOnlyTool },
      log,
    });
    this.#server = server;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const request of waiting) void this.#calls.make(request, server);
  }

  /** The client's parameters, changed where the bridge itself serves the child. */
  #childInitialize(): Readonly<Record<string, unknown>> {
    const { clientInfo, capabilities } = this.#client;
    const { protocolVersion } = answerFor(this.#client, this.#options.initializeAnswer);
    return {
      protocolVersion,
      capabilities: {
        ...capabilities,
        ...capabilities.roots !== undefined && { roots: {} },
        ...this.#options.own !== undefined && { experimental: { ...capabilities.experimental, [WORK_CAPABILITY]: {} } },
      },
      clientInfo,
    };
  }

  /** Restores the client's state in a restarted child, which has lost it. */
  #cameBack(server: Supervisor): void {
    const tell = (method: string, params?: Record<string, unknown>) =>
      this.#link.send({ jsonrpc: "2.0", method, ...params !== undefined && { params } });
    void this.#subscriptions.replay(
      (request) => server.call(request).answered,
      (uri) => tell("notifications/resources/updated", { uri }),
    );
    if (this.#subscriptions.hasListed) tell("notifications/resources/list_changed");
  }

  /** Notes that all operations are over. */
  #rests(): void {
    if (this.#worksOnOperations) this.#link.used();
    this.#worksOnOperations = false;
  }

  #fromServer(message: JSONRPCMessage, scopes: readonly PinnedDirectory[]): void {
    if (!("method" in message)) return;
    if (message.method === WORK_METHOD && this.#options.own !== undefined) {
      this.#worksOnOperations ||= message.params?.["active"] === true;
      return message.params?.["active"] === false ? this.#rests() : undefined;
    }
    if (!("id" in message)) return this.#told(message);
    const answer = (response: Answer) =>
      this.#server?.send({ jsonrpc: "2.0", id: message.id, ...response } as JSONRPCMessage);
    if (message.method === "ping") return answer({ result: {} });
    if (message.method === "roots/list") return answer({ result: { roots: scopes.map(rootOf) } });
    if (this.#clientRequests.isFull) {
      return answer({ error: { code: BAD_REQUEST, message: "Too many requests wait for the client already" } });
    }
    void this.#clientRequests.ask(message.method, message.params).then(answer);
  }

  /** Forwards a notification, the only sign of a third-party server's work. */
  #told(message: JSONRPCMessage & { readonly method: string }): void {
    if (this.#options.own === undefined) this.#link.used();
    if (message.method === PROGRESS) this.#calls.lateProgress(message);
    else this.#link.send(message);
  }

  /** Ends the session when the first root is another one, because a scope never changes (H5, S1). */
  async #rootsChanged(): Promise<Refusal | undefined> {
    if (!await this.#negotiation.rootsChanged()) return undefined;
    const reason = "The session is terminated: the client's first root changed, and the scope of a session never does";
    this.#link.end(reason);
    return refuse(403, `${reason}; begin a new session with initialize`);
  }

  #fail(problem: string): void {
    this.#link.send({ jsonrpc: "2.0", method: "notifications/sandbox/failed", params: { error: problem } });
    this.#refuseWaiting(problem);
  }

  #refuseWaiting(problem: string): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const request of waiting) this.#refuse(request, problem);
  }

  #refuse(request: ClientCall, message: string): void {
    const { id } = request;
    const { own } = this.#options;
    const isWithout = own !== undefined && this.#negotiation.problem !== undefined;
    const result = isWithout ? answerWithoutScope(request, { status: own.statusName, problem: message }) : undefined;
    this.#link.send({
      jsonrpc: "2.0",
      id,
      ...result === undefined ? { error: { code: BAD_REQUEST, message } } : { result },
    });
  }
}

function rootOf({ path: directory }: PinnedDirectory): { readonly uri: string; readonly name: string } {
  const uri = `file://${directory.split("/").map(encodeURIComponent).join("/")}`;
  return { uri, name: directory.slice(directory.lastIndexOf("/") + 1) };
}

/** The answer to a request of such a session; undefined: an error with the problem. `status`: as listed. */
function answerWithoutScope(
  request: ClientCall,
  { status, problem }: { readonly status: string; readonly problem: string },
): Readonly<Record<string, unknown>> | undefined {
  const text = `The tools of this server cannot be used: ${problem}`;
  if (request.method === "tools/list") {
    const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    const inputSchema = { type: "object", properties: {}, additionalProperties: false };
    return { tools: [{ name: status, title: "Why there are no tools", description: text, inputSchema, annotations }] };
  }
  const asksStatus = request.method === "tools/call" && paramsOf(request.message)?.["name"] === status;
  return asksStatus ? { content: [{ type: "text", text }] } : undefined;
}
