import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Answer } from "./session.ts";

/** What an agent over HTTP is. */
export interface AgentOptions {
  readonly name: string;
  /** Its own directory; undefined: it declares none and speaks the version without sessions. */
  readonly root: string | undefined;
}

/** A client of the official SDK over HTTP. */
export class HttpAgent implements AsyncDisposable {
  readonly name: string;
  readonly #client: Client;
  readonly #transport: StreamableHTTPClientTransport;

  private constructor(url: URL, { name, root }: AgentOptions) {
    this.name = name;
    this.#transport = new StreamableHTTPClientTransport(url);
    this.#client = new Client({ name, version: "1.0.0" }, {
      capabilities: root === undefined ? {} : { roots: {} },
      versionNegotiation: { mode: root === undefined ? { pin: "2026-07-28" } : "legacy" },
    });
    if (root === undefined) return;
    this.#client.setRequestHandler("roots/list", () => ({ roots: [{ uri: `file://${root}` }] }));
  }

  /** Connects. */
  static async connect(url: URL, options: AgentOptions): Promise<HttpAgent> {
    const agent = new HttpAgent(url, options);
    await agent.#client.connect(agent.#transport);
    return agent;
  }

  /** The version of the protocol that both agreed on. */
  get version(): string {
    return this.#client.getNegotiatedProtocolVersion() ?? "";
  }

  /** The id of the session; undefined: there is none. */
  get session(): string | undefined {
    return this.#transport.sessionId;
  }

  /** Runs a shell line to its end; `onProgress` gets live output. Rejects when the server gives an error. */
  async shell(command: string, onProgress?: (text: string) => void): Promise<Answer> {
    const result = await this.#client.callTool(
      { name: "sandboxed_shell", arguments: { command, execution_mode: "Synchronous" } },
      onProgress === undefined ? {} : { onprogress: ({ message }) => onProgress(message ?? "") },
    );
    const text = result.content.map((block) => block.type === "text" ? block.text : "").join("\n");
    const facts = result._meta?.["ahma/operation"] as { readonly exit_code?: number } | undefined;
    const isError = result.isError === true;
    return { text, isError, succeeded: !isError && facts?.exit_code === 0, operation: "" };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }
}
