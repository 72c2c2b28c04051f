/**
 * A lean client: raw lines and one JSON.parse per answer, so that the time is that of the server.
 */
import type { CommandLine } from "../client/command_line.ts";

/** A part of an output, as a resource. */
export interface OutputPage {
  readonly text?: string;
  readonly _meta?: Readonly<Record<string, { readonly next?: string; readonly next_offset?: number } | undefined>>;
}

/** A response, as far as a bench looks at it. */
export interface Response {
  readonly id?: number;
  readonly result?: {
    readonly isError?: boolean;
    readonly content?: readonly { readonly text?: string }[];
    readonly contents?: readonly OutputPage[];
    readonly _meta?: Readonly<Record<string, { readonly operation_id?: string } | undefined>>;
  };
  readonly error?: { readonly message: string };
}

const encoder = new TextEncoder();

export class StdioClient implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reading: Promise<void>;
  readonly #waiting = new Map<number, (response: Response) => void>();
  #lastId = 0;
  #received = 0;
  #sent = 0;
  #ended = false;

  constructor(line: CommandLine) {
    this.#child = new Deno.Command(line.command, {
      args: [...line.args],
      cwd: line.directory,
      clearEnv: true,
      env: { ...line.environment },
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#reading = this.#read();
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Bytes of all that the server wrote. */
  get received(): number {
    return this.#received;
  }

  /** Bytes of all requests. */
  get sent(): number {
    return this.#sent;
  }

  /** Sends a request and gives its response. @throws Error when the program ends before it answers. */
  async request(method: string, params: object): Promise<Response> {
    if (this.#ended) throw new Error(`Cannot send "${method}": the program has ended`);
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.#waiting.set(id, resolve);
    const line = encoder.encode(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    this.#sent += line.length;
    await this.#writer.write(line);
    const response = await promise;
    if (response.error !== undefined) throw new Error(`"${method}" was refused: ${response.error.message}`);
    return response;
  }

  /** The handshake of 2025-11-25. */
  async initialize(): Promise<void> {
    const clientInfo = { name: "bench", version: "1" };
    await this.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    await this.#writer.write(encoder.encode('{"jsonrpc":"2.0","method":"notifications/initialized"}\n'));
  }

  /** Calls a tool and gives its text and operation id. @throws Error for an error result. */
  async call(name: string, args: object): Promise<{ readonly text: string; readonly operation: string }> {
    const { result } = await this.request("tools/call", { name, arguments: args });
    const text = (result?.content ?? []).map((part) => part.text ?? "").join("\n");
    if (result?.isError === true) throw new Error(`"${name}" failed: ${text}`);
    return { text, operation: result?._meta?.["ahma/operation"]?.operation_id ?? "" };
  }

  /** Runs a shell line to its end; the answer must hold `expected`. */
  async shell(command: string, expected: string): Promise<void> {
    const { text } = await this.call("sandboxed_shell", { command, execution_mode: "Synchronous" });
    if (!text.includes(expected)) throw new Error(`Wrong answer to "${command}": ${text.slice(0, 200)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // What still runs does not matter to a bench, and the kernel takes the commands along.
    if (!this.#ended) this.#child.kill("SIGKILL");
    await this.#child.status;
    await this.#writer.abort().catch(() => undefined);
    await this.#reading;
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of this.#child.stdout) {
      this.#received += chunk.length;
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#receive(line);
    }
    this.#ended = true;
    const error = { message: "the program ended" };
    for (const resolve of this.#waiting.values()) resolve({ error });
  }

  #receive(line: string): void {
    // The server under test wrote it; only the fields of `Response` are looked at.
    const message = JSON.parse(line) as Response & { readonly method?: string };
    if (message.id === undefined || message.method !== undefined) return;
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }
}
