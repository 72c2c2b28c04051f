/** A lean client over HTTP: what is measured is the server, and the client's `fetch`. */
import { EventReader } from "../../../tests/_support/clients/event_reader.ts";
import type { HttpServer } from "../../client/http_server.ts";
import type { Response as Message } from "../stdio_client.ts";

/** A session of 2025-11-25. */
export class HttpSession implements AsyncDisposable {
  readonly #url: URL;
  #headers: Readonly<Record<string, string>> = {};
  #stream: EventReader | undefined;
  #lastId = 0;

  private constructor(url: URL) {
    this.#url = url;
  }

  /** A session that serves: it has the first list of tools. `root` where sessions are isolated. */
  static async open(server: HttpServer, root?: string): Promise<HttpSession> {
    const session = new HttpSession(await server.address);
    await session.#begin(root);
    return session;
  }

  async #begin(root: string | undefined): Promise<void> {
    const response = await this.#post({
      method: "initialize",
      id: 0,
      params: {
        protocolVersion: "2025-11-25",
        capabilities: root === undefined ? {} : { roots: {} },
        clientInfo: { name: "bench", version: "1" },
      },
    });
    await response.body?.cancel();
    const session = response.headers.get("mcp-session-id");
    if (session === null) throw new Error(`No session was given: ${response.status}`);
    this.#headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
    if (root !== undefined) {
      const headers = { ...this.#headers, accept: "text/event-stream" };
      this.#stream = new EventReader(await fetch(this.#url, { headers }));
    }
    await this.#tell({ method: "notifications/initialized" });
    if (root !== undefined) await this.#nameRoot(root);
    await this.request("tools/list", {});
  }

  /** Sends a request and gives its response. @throws Error for an error response. */
  async request(method: string, params: object): Promise<Message> {
    const response = await this.#post({ id: ++this.#lastId, method, params });
    const message: Message = await response.json();
    if (message.error !== undefined) throw new Error(`"${method}" was refused: ${message.error.message}`);
    return message;
  }

  /** Calls a tool. @throws Error for an error result. */
  async call(name: string, args: object): Promise<void> {
    const { result } = await this.request("tools/call", { name, arguments: args });
    if (result === undefined || result.isError === true) throw new Error(`"${name}" failed: ${JSON.stringify(result)}`);
  }

  /** Ends the session. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stream?.[Symbol.asyncDispose]();
    const response = await fetch(this.#url, { method: "DELETE", headers: this.#headers });
    await response.body?.cancel();
  }

  async #nameRoot(root: string): Promise<void> {
    const asked = await this.#stream?.message(({ method }) => method === "roots/list");
    await this.#tell({ id: asked?.message?.id, result: { roots: [{ uri: `file://${root}` }] } });
  }

  async #tell(message: object): Promise<void> {
    await (await this.#post(message)).body?.cancel();
  }

  #post(message: object): Promise<Response> {
    return fetch(this.#url, {
      method: "POST",
      headers: { ...this.#headers, "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  }
}
