import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type Denial, DENIED_META_KEY } from "../../src/base/command/denial.ts";
import type { CommandLine } from "./command_line.ts";

/** The answer of a tool. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  /** Not an error, and an exit code of 0. */
  readonly succeeded: boolean;
  /** Empty if the result names none. */
  readonly operation: string;
  /** What the sandbox denied to its command. */
  readonly denials: readonly Denial[];
}

/** How an agent over stdio behaves. */
export interface StdioAgentOptions {
  /** Chooses an answer of a form by its message; absent: the client shows no forms. */
  readonly onForm?: (message: string) => string;
}

/** A command without output for this long is given up, milliseconds. */
const SILENCE_MS = 600_000;

export interface HttpAgentOptions {
  readonly name: string;
  /** Its own directory; undefined: the agent declares none and speaks the stateless version. */
  readonly root: string | undefined;
}

type AgentTransport = StdioClientTransport | StreamableHTTPClientTransport;

/** A client of the official SDK, as an editor or agent holds it. */
export class Agent implements AsyncDisposable {
  readonly name: string;
  /** The SDK's client. */
  readonly client: Client;
  readonly #transport: AgentTransport;

  private constructor(name: string, client: Client, transport: AgentTransport) {
    this.name = name;
    this.client = client;
    this.#transport = transport;
  }

  /** An agent that starts its server when it connects; the working directory is the scope. */
  static stdio({ command, args, directory, environment }: CommandLine, { onForm }: StdioAgentOptions = {}): Agent {
    const transport = new StdioClientTransport({
      command,
      args: [...args],
      cwd: directory,
      env: { ...environment },
      stderr: "pipe",
    });
    const capabilities = onForm === undefined ? {} : { elicitation: {} };
    const client = new Client({ name: "demo", version: "1.0.0" }, { capabilities });
    if (onForm !== undefined) {
      client.setRequestHandler("elicitation/create", ({ params }) => {
        return { action: "accept", content: { answer: onForm(params.message) } };
      });
    }
    return new Agent("demo", client, transport);
  }

  /** An agent of a server over HTTP. */
  static http(url: URL, { name, root }: HttpAgentOptions): Agent {
    const client = new Client({ name, version: "1.0.0" }, {
      capabilities: root === undefined ? {} : { roots: {} },
      versionNegotiation: { mode: root === undefined ? { pin: "2026-07-28" } : "legacy" },
    });
    if (root !== undefined) {
      client.setRequestHandler("roots/list", () => ({ roots: [{ uri: `file://${root}` }] }));
    }
    return new Agent(name, client, new StreamableHTTPClientTransport(url));
  }

  /** The version of the protocol that both agreed on. */
  get version(): string {
    return this.client.getNegotiatedProtocolVersion() ?? "";
  }

  /** The id of the HTTP session; undefined: there is none. */
  get session(): string | undefined {
    return this.#transport instanceof StdioClientTransport ? undefined : this.#transport.sessionId;
  }

  /** Connects. @throws Error with the stderr of a server that did not start. */
  async connect(): Promise<void> {
    let written = "";
    const decoder = new TextDecoder();
    // Always drained, because a server that cannot write its log would stop.
    if (this.#transport instanceof StdioClientTransport) {
      this.#transport.stderr?.on("data", (chunk: Uint8Array) => {
        written = (written + decoder.decode(chunk, { stream: true })).slice(-4_000);
      });
    }
    try {
      await this.client.connect(this.#transport);
    } catch (error) {
      throw new Error(`The server did not start:\n${written}`, { cause: error });
    }
  }

  /** Calls a tool; `onProgress` gets live output. */
  async call(name: string, args: Record<string, unknown>, onProgress?: (text: string) => void): Promise<Answer> {
    const result = await this.client.callTool(
      { name, arguments: args },
      {
        timeout: SILENCE_MS,
        resetTimeoutOnProgress: true,
        ...onProgress !== undefined && { onprogress: ({ message }) => onProgress(message ?? "") },
      },
    );
    const text = result.content.map((block) => block.type === "text" ? block.text : "").join("\n");
    // Written by our own server: requirement X1.
    const facts = result._meta?.["ahma/operation"] as
      | { readonly operation_id?: string; readonly exit_code?: number }
      | undefined;
    const denials = (result._meta?.[DENIED_META_KEY] ?? []) as readonly Denial[];
    const isError = result.isError === true;
    const succeeded = !isError && facts?.exit_code === 0;
    return { text, isError, succeeded, operation: facts?.operation_id ?? "", denials };
  }

  /** Runs a shell line to its end; `onProgress` gets live output. */
  shell(command: string, onProgress?: (text: string) => void): Promise<Answer> {
    return this.call("sandboxed_shell", { command, execution_mode: "Synchronous" }, onProgress);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}
