import { withDeadline } from "../deadline.ts";
import { EventReader } from "./event_reader.ts";
import { type HttpServerProcess, initializeMessage, type PostOptions } from "../servers/http_server.ts";
import { type RpcMessage, type ToolAnswer, toolAnswer } from "../json_rpc.ts";

const DEADLINE = 30_000;

export interface ClientOptions {
  /** Directories; undefined: the client declares no roots. */
  readonly roots?: readonly string[];
  readonly protocolVersion?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** False: no event stream is opened, and no notification is sent after `initialize`. */
  readonly listens?: boolean;
}

/** A client of the first era that follows the specification. */
export class HttpClient implements AsyncDisposable {
  readonly server: HttpServerProcess;
  readonly session: string;
  /** The answer to `initialize`. */
  readonly initialized: RpcMessage;
  /** Messages of the event stream that no test has claimed, in order. */
  readonly heard: RpcMessage[] = [];
  roots: readonly string[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #waiters = new Set<() => void>();
  #stream: EventReader | undefined;
  #listening: Promise<void> = Promise.resolve();
  #lastId = 0;

  private constructor(server: HttpServerProcess, parts: {
    readonly session: string;
    readonly initialized: RpcMessage;
    readonly headers: Readonly<Record<string, string>>;
    readonly roots: readonly string[];
  }) {
    this.server = server;
    this.session = parts.session;
    this.initialized = parts.initialized;
    this.roots = parts.roots;
    this.#headers = { ...parts.headers, "mcp-session-id": parts.session, "mcp-protocol-version": "2025-11-25" };
  }

  /** Performs the handshake, opens the event stream and answers the server's requests there. */
  static async connect(server: HttpServerProcess, options: ClientOptions = {}): Promise<HttpClient> {
    const { roots, protocolVersion = "2025-11-25", headers = {}, listens = true } = options;
    const response = await server.post(initializeMessage(protocolVersion, { hasRoots: roots !== undefined }), {
      accept: "application/json",
      headers,
    });
    const session = response.headers.get("mcp-session-id");
    const initialized = await response.json();
    if (session === null) throw new Error(`No session: ${response.status} ${JSON.stringify(initialized)}`);
    const client = new HttpClient(server, { session, initialized, headers, roots: roots ?? [] });
    if (!listens) return client;
    await client.listen();
    await client.notify("notifications/initialized");
    return client;
  }

  /** Headers of every later request of the session. */
  get headers(): Readonly<Record<string, string>> {
    return this.#headers;
  }

  /** Opens the event stream. */
  async listen(lastEventId?: string): Promise<void> {
    const response = await fetch(this.server.url, {
      headers: {
        ...this.#headers,
        accept: "text/event-stream",
        ...lastEventId !== undefined && { "last-event-id": lastEventId },
      },
    });
    const stream = new EventReader(response);
    this.#stream = stream;
    this.#listening = this.#read(stream);
  }

  /** Sends a request and returns its answer. */
  async request(
    method: string,
    params: object = {},
    options: PostOptions & { readonly id?: string | number } = {},
  ): Promise<RpcMessage> {
    const id = options.id ?? ++this.#lastId;
    const response = await this.send({ jsonrpc: "2.0", id, method, params }, {
      accept: "application/json",
      ...options,
    });
    // Tests then compare the server's answer field by field.
    return await withDeadline(response.json() as Promise<RpcMessage>, DEADLINE, `the answer to ${method}`);
  }

  async call(name: string, args: object = {}, options: PostOptions = {}): Promise<ToolAnswer> {
    return toolAnswer(await this.request("tools/call", { name, arguments: args }, options));
  }

  /** Starts a shell line in the background. */
  async start(command: string): Promise<ToolAnswer> {
    return await this.call("sandboxed_shell", { command, execution_mode: "AsyncResultPush" });
  }

  /** Runs a shell line to its end. */
  async shell(command: string): Promise<ToolAnswer> {
    return await this.call("sandboxed_shell", { command, execution_mode: "Synchronous" });
  }

  async notify(method: string, params?: object): Promise<number> {
    const response = await this.send({ jsonrpc: "2.0", method, ...params !== undefined && { params } });
    await response.body?.cancel();
    return response.status;
  }

  /** One POST of the session. */
  send(message: object, options: PostOptions = {}): Promise<Response> {
    return this.server.post(message, { ...options, headers: { ...this.#headers, ...options.headers } });
  }

  /** Any request of the session. */
  fetch(method: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(this.server.url, { method, headers: { ...this.#headers, ...headers } });
  }

  /** A notification of the event stream, past or future. */
  async hears(method: string): Promise<RpcMessage> {
    while (true) {
      const found = this.heard.find((message) => message.method === method);
      if (found !== undefined) return found;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiters.add(resolve);
      await withDeadline(promise, DEADLINE, method);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stream?.[Symbol.asyncDispose]();
    await this.#listening;
  }

  async #read(stream: EventReader): Promise<void> {
    for (let event = await stream.next(600_000); event !== undefined; event = await stream.next(600_000)) {
      const { message } = event;
      if (message === undefined) continue;
      if (message.method === "roots/list" && message.id !== undefined) {
        const roots = this.roots.map((path) => ({ uri: path.includes(":") ? path : `file://${path}` }));
        await (await this.send({ jsonrpc: "2.0", id: message.id, result: { roots } })).body?.cancel();
        continue;
      }
      this.heard.push(message);
      for (const wake of this.#waiters) wake();
      this.#waiters.clear();
    }
  }
}
