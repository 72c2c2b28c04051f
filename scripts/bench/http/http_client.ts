/** Lean clients over HTTP, with the headers that clients send. */
import { EventReader } from "../../../tests/_support/clients/event_reader.ts";
import type { HttpServer } from "../../client/http_server.ts";
import type { Response as Message } from "../stdio_client.ts";
import { type Answered, HttpConnections } from "./http_connections.ts";

/** A client of any version. */
abstract class HttpClient {
  protected readonly connections: HttpConnections;
  #lastId = 0;

  constructor(url: URL) {
    this.connections = new HttpConnections(url);
  }

  protected abstract post(method: string, id: number, params: object): Promise<Answered>;

  /** Sends a request and gives its response. @throws Error for an error response. */
  async request(method: string, params: object): Promise<Message> {
    const { status, message } = await this.post(method, ++this.#lastId, params);
    if (message === "") throw new Error(`"${method}" was answered with ${status} and no message`);
    // The server under test wrote it; only the fields of `Message` are looked at.
    const response = JSON.parse(message) as Message;
    if (response.error !== undefined) throw new Error(`"${method}" was refused: ${response.error.message}`);
    return response;
  }

  /** Calls a tool. @throws Error for an error result. */
  async call(name: string, args: object): Promise<void> {
    const { result } = await this.request("tools/call", { name, arguments: args });
    if (result === undefined || result.isError === true) throw new Error(`"${name}" failed: ${JSON.stringify(result)}`);
  }
}

/** A session of 2025-11-25. */
export class HttpSession extends HttpClient implements AsyncDisposable {
  readonly #url: URL;
  #headers: Readonly<Record<string, string>> = {};
  #stream: EventReader | undefined;

  private constructor(url: URL) {
    super(url);
    this.#url = url;
  }

  /** A session that serves: it has the first list of tools. `root` where sessions are isolated. */
  static async open(server: HttpServer, root?: string): Promise<HttpSession> {
    const session = new HttpSession(await server.address);
    await session.#begin(root);
    return session;
  }

  async #begin(root: string | undefined): Promise<void> {
    const { status, header } = await this.post("initialize", 0, {
      protocolVersion: "2025-11-25",
      capabilities: root === undefined ? {} : { roots: {} },
      clientInfo: { name: "bench", version: "1" },
    });
    const session = header("mcp-session-id");
    if (session === undefined) throw new Error(`No session was given: ${status}`);
    this.#headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
    if (root !== undefined) {
      const headers = { ...this.#headers, accept: "text/event-stream" };
      this.#stream = new EventReader(await fetch(this.#url, { headers }));
    }
    await this.#tell({ method: "notifications/initialized" });
    if (root !== undefined) await this.#nameRoot(root);
    await this.request("tools/list", {});
  }

  /** Ends the session. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stream?.[Symbol.asyncDispose]();
    const response = await fetch(this.#url, { method: "DELETE", headers: this.#headers });
    await response.body?.cancel();
    this.connections[Symbol.dispose]();
  }

  protected post(method: string, id: number, params: object): Promise<Answered> {
    return this.connections.post(this.#headers, { id, method, params });
  }

  async #nameRoot(root: string): Promise<void> {
    const asked = await this.#stream?.message(({ method }) => method === "roots/list");
    await this.#tell({ id: asked?.message?.id, result: { roots: [{ uri: `file://${root}` }] } });
  }

  async #tell(message: object): Promise<void> {
    await this.connections.post(this.#headers, message);
  }
}

const VERSION = "2026-07-28";
const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": VERSION,
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Requests of 2026-07-28, which has no sessions. */
export class StatelessClient extends HttpClient implements Disposable {
  protected post(method: string, id: number, params: object): Promise<Answered> {
    const name = "name" in params ? { "mcp-name": String(params.name) } : {};
    const headers = { "mcp-protocol-version": VERSION, "mcp-method": method, ...name };
    return this.connections.post(headers, { id, method, params: { ...params, _meta: ENVELOPE } });
  }

  [Symbol.dispose](): void {
    this.connections[Symbol.dispose]();
  }
}
