/** The driver of whole-program tests over HTTP: the packed program with `--mode http`, and what clients do with it. */
import { HttpServer } from "../../../scripts/client/http_server.ts";
import { HTTP_PERMISSIONS } from "../../../scripts/permissions.ts";
import { until, withDeadline } from "../deadline.ts";
import { MODERN_META } from "../json_rpc.ts";
import { killIfThere, processesWith } from "../processes.ts";
import { programStart } from "../program.ts";
import type { Workbench } from "../workbench.ts";

export interface HttpStartOptions {
  readonly flags?: readonly string[];
  /** Default: one that is free. */
  readonly port?: number;
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
  readonly #server: HttpServer;
  #url = "";

  private constructor(bench: Workbench, options: HttpStartOptions) {
    const flags = ["--mode", "http", "--http-port", String(options.port ?? 0), ...options.flags ?? []];
    const start = programStart(bench, flags, options.prefix, HTTP_PERMISSIONS);
    const environment = { ...start.environment, ...options.environment };
    this.#bench = bench;
    this.#server = new HttpServer({ ...start, directory: bench.scope, environment });
  }

  /** Starts the program and waits until it listens. */
  static async start(bench: Workbench, options: HttpStartOptions = {}): Promise<HttpServerProcess> {
    const server = new HttpServerProcess(bench, options);
    try {
      server.#url = (await server.#server.address).href;
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
    return this.#server.pid;
  }
  /** Everything written to stderr so far. */
  get stderr(): string {
    return this.#server.stderr;
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
    this.#server.kill(signal);
  }

  exit(deadline?: number): Promise<Deno.CommandStatus> {
    return this.#server.exit(deadline);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#server[Symbol.asyncDispose]();
      await until(async () => (await processesWith(this.#bench.marker)).length === 0, 10_000, "the processes to end");
    } catch (error) {
      for (const { pid } of await processesWith(this.#bench.marker)) killIfThere(pid);
      await this.#server[Symbol.asyncDispose]();
      throw error;
    }
    if (this.#server.stdout !== "") throw new Error(`stdout carried: ${this.#server.stdout}`);
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
