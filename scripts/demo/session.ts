import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Project } from "./project.ts";

/** What a tool answered. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  /** Not an error, and an exit code of 0. */
  readonly succeeded: boolean;
  /** Empty where the result needs none. */
  readonly operation: string;
}

/** A client with its server, as an editor or agent would hold them. */
export class Session implements AsyncDisposable {
  readonly #client = new Client({ name: "demo", version: "1.0.0" });
  readonly #transport: StdioClientTransport;

  /** `command` starts the server; its working directory, the project, is the scope. */
  constructor(project: Project, command: readonly string[]) {
    const [program = "", ...args] = command;
    this.#transport = new StdioClientTransport({
      command: program,
      args,
      cwd: project.directory,
      env: project.environment(),
      stderr: "pipe",
    });
  }

  get client(): Client {
    return this.#client;
  }

  /** Shakes hands. @throws Error with what the server wrote when it did not start. */
  async connect(): Promise<void> {
    let written = "";
    const decoder = new TextDecoder();
    // Always drained: a server that cannot write its log would stand still.
    this.#transport.stderr?.on("data", (chunk: Uint8Array) => {
      written = (written + decoder.decode(chunk, { stream: true })).slice(-4_000);
    });
    try {
      await this.#client.connect(this.#transport);
    } catch (error) {
      throw new Error(`The server did not start:\n${written}`, { cause: error });
    }
  }

  /** Calls a tool; `onProgress` gets live output. */
  async call(name: string, args: Record<string, unknown>, onProgress?: (text: string) => void): Promise<Answer> {
    const result = await this.#client.callTool(
      { name, arguments: args },
      onProgress === undefined ? {} : { onprogress: ({ message }) => onProgress(message ?? "") },
    );
    const text = result.content.map((block) => block.type === "text" ? block.text : "").join("\n");
    // Written by our own server: requirement X1.
    const facts = result._meta?.["ahma/operation"] as
      | { readonly operation_id?: string; readonly exit_code?: number }
      | undefined;
    const isError = result.isError === true;
    return { text, isError, succeeded: !isError && facts?.exit_code === 0, operation: facts?.operation_id ?? "" };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }
}
