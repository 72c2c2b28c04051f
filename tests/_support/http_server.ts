/** The driver of whole-program tests over HTTP: the packed program with `--mode http`, and what clients do with it. */
import { HTTP_PERMISSIONS } from "../../scripts/permissions.ts";
import { until, withDeadline } from "./deadline.ts";
import { MODERN_META } from "./json_rpc.ts";
import { readLines } from "./line_reader.ts";
import { killIfThere, processesWith } from "./processes.ts";
import { programStart } from "./program.ts";
import type { Workbench } from "./workbench.ts";

export interface HttpStartOptions {
  readonly flags?: readonly string[];
  /** A program, and its first words, that runs ours. */
  readonly prefix?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface PostOptions {
  /** Default: both forms. Null: no header. */
  readonly accept?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const DEADLINE = 30_000;
export const BOTH = "application/json, text/event-stream";

export class HttpServerProcess implements AsyncDisposable {
  readonly #bench: Workbench;
  readonly #child: Deno.ChildProcess;
  readonly #reading: Promise<unknown>;
  readonly #listening = Promise.withResolvers<string>();
  #stderr = "";
  #stdout = "";
  #url = "";

  private constructor(bench: Workbench, options: HttpStartOptions) {
    const start = programStart(
      bench,
      ["--mode", "http", "--http-port", "0", ...options.flags ?? []],
      options.prefix,
      HTTP_PERMISSIONS,
    );
    this.#bench = bench;
    this.#child = new Deno.Command(start.command, {
      args: [...start.args],
      cwd: bench.scope,
      clearEnv: true,
      env: { ...start.environment, ...options.environment },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#reading = Promise.all([
      readLines(this.#child.stdout, (line) => this.#stdout += `${line}\n`),
      readLines(this.#child.stderr, (line) => {
        this.#stderr += `${line}\n`;
        const address = /^Listening on (http:\S+)$/.exec(line)?.[1];
        if (address !== undefined) this.#listening.resolve(address);
      }).then(() => this.#listening.reject(new Error(`The server did not start. It wrote:\n${this.#stderr}`))),
    ]);
  }

  /** Starts the program and waits until it listens. */
  static async start(bench: Workbench, options: HttpStartOptions = {}): Promise<HttpServerProcess> {
    const server = new HttpServerProcess(bench, options);
    try {
      server.#url = await withDeadline(server.#listening.promise, DEADLINE, "the server to listen");
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The endpoint. */
  get url(): string {
    return this.#url;
  }
  get port(): number {
    return Number(new URL(this.#url).port);
  }
  get pid(): number {
    return this.#child.pid;
  }
  /** Everything written to stderr so far. */
  get stderr(): string {
    return this.#stderr;
  }

  /** One POST of a JSON value. */
  post(body: unknown, options: PostOptions = {}): Promise<Response> {
    const { accept = BOTH, headers = {}, signal } = options;
    const all = { "content-type": "application/json", ...accept !== null && { accept }, ...headers };
    return fetch(this.#url, {
      method: "POST",
      headers: all,
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...signal !== undefined && { signal },
    });
  }

  /** A request of 2026-07-28. */
  modern(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: PostOptions & { readonly id?: string | number } = {},
  ): Promise<Response> {
    const headers: Record<string, string> = { "mcp-protocol-version": "2026-07-28", "mcp-method": method };
    const named = method === "resources/read" ? params["uri"] : params["name"];
    if (typeof named === "string") headers["mcp-name"] = named;
    const message = { jsonrpc: "2.0", id: options.id ?? 1, method, params: { ...params, _meta: MODERN_META } };
    return this.post(message, { ...options, headers: { ...headers, ...options.headers } });
  }

  /** Bytes as they stand; gives the whole answer of a connection that the server closes. */
  async raw(text: string): Promise<string> {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: this.port });
    const writer = connection.writable.getWriter();
    await writer.write(new TextEncoder().encode(text));
    return await withDeadline(new Response(connection.readable).text(), DEADLINE, "the answer to raw bytes");
  }

  kill(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  async exit(deadline = DEADLINE): Promise<Deno.CommandStatus> {
    return await withDeadline(this.#child.status, deadline, "the end of the HTTP server");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGTERM");
    } catch (error) {
      // It has ended already: a test that stopped it ends here.
      if (!(error instanceof TypeError)) throw error;
    }
    try {
      await this.exit();
      await this.#reading;
      await until(async () => (await processesWith(this.#bench.marker)).length === 0, 10_000, "the processes to end");
    } finally {
      for (const { pid } of await processesWith(this.#bench.marker)) killIfThere(pid);
      await this.#child.status;
      await this.#reading;
    }
    if (this.#stdout !== "") throw new Error(`stdout carried: ${this.#stdout}`);
  }
}

/** The `initialize` request. */
export function initializeMessage(
  protocolVersion: string,
  { hasRoots = false, id = 0 }: { readonly hasRoots?: boolean; readonly id?: string | number } = {},
): object {
  return {
    jsonrpc: "2.0",
    id,
    method: "initialize",
    params: {
      protocolVersion,
      capabilities: hasRoots ? { roots: { listChanged: true } } : {},
      clientInfo: { name: "wire", version: "1" },
    },
  };
}
