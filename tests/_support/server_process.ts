/**
 * The driver of whole-program tests: starts the packed program as a client would, and exchanges raw JSON-RPC lines with
 * it. Every wait has a deadline. Its disposal checks three things each time: the program exits by itself at the end of
 * its input, stdout had only messages, and no process of the test is left.
 */
import { ignoreClosedPipe } from "../../src/base/errors.ts";
import { until, withDeadline } from "./deadline.ts";
import { MODERN_META, type RpcMessage, type ToolAnswer, toolAnswer } from "./json_rpc.ts";
import { readLines } from "./line_reader.ts";
import { killIfThere, processesWith } from "./processes.ts";
import { programStart } from "./program.ts";
import type { Workbench } from "./workbench.ts";

/** The first and the current protocol era, by the newest version of each. */
export type Era = "2025-11-25" | "2026-07-28";

/** Both eras, for tests that run in each. */
export const ERAS: readonly Era[] = ["2025-11-25", "2026-07-28"];

/** How to start; everything has a default. */
export interface StartOptions {
  /** Flags of the program. */
  readonly flags?: readonly string[];
  /** `none`: nothing is sent at the start. Default: 2025-11-25, with its handshake. */
  readonly era?: Era | "none";
  /** A program, and its first words, that runs the server. */
  readonly prefix?: readonly string[];
  /** Further permissions of the runtime. */
  readonly permissions?: readonly string[];
  /** Added to the server's environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** For one request. */
export interface RequestOptions {
  /** Default: counted from 1. */
  readonly id?: string | number;
  /** Milliseconds, default 30,000: the machine may be busy. */
  readonly deadline?: number;
  /** Goes to `_meta.progressToken`. */
  readonly progressToken?: string | number;
}

const DEADLINE = 30_000;

/** A waiter for a message, and the condition for it. */
interface Waiter {
  readonly matches: (message: RpcMessage) => boolean;
  readonly resolve: (message: RpcMessage) => void;
  readonly reject: (error: Error) => void;
}

export class ServerProcess implements AsyncDisposable {
  readonly #bench: Workbench;
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reading: Promise<unknown>;
  readonly #encoder = new TextEncoder();
  readonly #waiters = new Set<Waiter>();
  readonly #listeners = new Set<(message: RpcMessage) => void>();
  readonly #unclaimed: RpcMessage[] = [];
  readonly #impurities: string[] = [];
  readonly #era: Era | "none";
  #lastId = 0;
  #stderr = "";
  #inputOpen = true;
  #outputOpen = true;

  private constructor(bench: Workbench, options: StartOptions) {
    const start = programStart(bench, options.flags ?? [], options.prefix, options.permissions);
    this.#bench = bench;
    this.#era = options.era ?? "2025-11-25";
    this.#child = new Deno.Command(start.command, {
      args: [...start.args],
      cwd: bench.scope,
      clearEnv: true,
      env: { ...start.environment, ...options.environment },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#reading = Promise.all([
      readLines(this.#child.stdout, (line) => this.#receive(line)).then(() => this.#endOfMessages()),
      readLines(this.#child.stderr, (line) => this.#stderr += `${line}\n`),
    ]);
  }

  /** Starts the program in the bench's scope and, in the first era, shakes hands. */
  static async start(bench: Workbench, options: StartOptions = {}): Promise<ServerProcess> {
    const server = new ServerProcess(bench, options);
    try {
      if (server.#era === "2025-11-25") await server.initialize(server.#era);
      return server;
    } catch (error) {
      await server.#abandon();
      throw new Error(`The server did not start. It wrote:\n${server.#stderr}`, { cause: error });
    }
  }

  get pid(): number {
    return this.#child.pid;
  }
  /** Everything written to stderr so far. */
  get stderr(): string {
    return this.#stderr;
  }
  /** Messages that no test has waited for yet: notifications, and responses without a request. */
  get unclaimed(): readonly RpcMessage[] {
    return this.#unclaimed;
  }

  /** The handshake of the first era; gives the answer to `initialize`. */
  async initialize(protocolVersion: string): Promise<RpcMessage> {
    const answer = await this.request("initialize", {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: "wire", version: "1" },
    });
    await this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return answer;
  }

  /** Sends a request and gives its response, an error response included. */
  async request(method: string, params: object = {}, options: RequestOptions = {}): Promise<RpcMessage> {
    const id = options.id ?? ++this.#lastId;
    const response = this.message((message) => message.id === id && message.method === undefined, {
      what: `the response to ${method} ${JSON.stringify(id)}`,
      ...(options.deadline === undefined ? {} : { deadline: options.deadline }),
    });
    const _meta = {
      ...(this.#era === "2026-07-28" ? MODERN_META : {}),
      ...(options.progressToken === undefined ? {} : { progressToken: options.progressToken }),
    };
    const withMeta = Object.keys(_meta).length === 0 ? params : { ...params, _meta };
    const [answer] = await Promise.all([response, this.send({ jsonrpc: "2.0", id, method, params: withMeta })]);
    return answer;
  }

  /** Calls a tool. @throws Error on a protocol error. */
  async call(name: string, args: object = {}, options: RequestOptions = {}): Promise<ToolAnswer> {
    return toolAnswer(await this.request("tools/call", { name, arguments: args }, options));
  }

  /** Starts a shell line in the background. */
  async start(command: string, args: object = {}, options: RequestOptions = {}): Promise<ToolAnswer> {
    return await this.call("sandboxed_shell", { command, execution_mode: "AsyncResultPush", ...args }, options);
  }

  /** Runs a shell line to its end. */
  async shell(command: string, args: object = {}): Promise<ToolAnswer> {
    return await this.call("sandboxed_shell", { command, execution_mode: "Synchronous", ...args });
  }

  /** The first matching message, past or future; it is then removed. */
  async message(
    matches: (message: RpcMessage) => boolean,
    { what, deadline = DEADLINE }: { readonly what: string; readonly deadline?: number },
  ): Promise<RpcMessage> {
    const index = this.#unclaimed.findIndex(matches);
    const [early] = index < 0 ? [] : this.#unclaimed.splice(index, 1);
    if (early !== undefined) return early;
    if (!this.#outputOpen) throw this.#closed();
    const { promise, resolve, reject } = Promise.withResolvers<RpcMessage>();
    const waiter = { matches, resolve, reject };
    this.#waiters.add(waiter);
    try {
      return await withDeadline(promise, deadline, `${what}; stderr: ${this.#stderr.slice(-2000)}`);
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  /** The first notification of that method with, if given, matching params. */
  async notification(
    method: string,
    matches: (params: Readonly<Record<string, unknown>>) => boolean = () => true,
    deadline = DEADLINE,
  ): Promise<RpcMessage> {
    return await this.message((message) => message.method === method && matches(message.params ?? {}), {
      what: `the notification ${method}`,
      deadline,
    });
  }

  /** Hands every message from now on to `listener` as well. */
  listen(listener: (message: RpcMessage) => void): void {
    this.#listeners.add(listener);
  }

  /** Sends one message as a line. */
  async send(message: object): Promise<void> {
    await this.write(`${JSON.stringify(message)}\n`);
  }

  /** Writes `text` unchanged. */
  async write(text: string): Promise<void> {
    await this.#writer.write(this.#encoder.encode(text));
  }

  /** Writes bytes, or those of a text, unchanged. */
  async writeBytes(bytes: string | Uint8Array): Promise<void> {
    await this.#writer.write(typeof bytes === "string" ? this.#encoder.encode(bytes) : bytes);
  }

  /** Ends the program's input. */
  async closeInput(): Promise<void> {
    if (!this.#inputOpen) return;
    this.#inputOpen = false;
    // The program may be gone already: one that was killed, or that refused to start.
    await this.#writer.close().catch(ignoreClosedPipe);
  }

  /** Sends a signal to the program itself. */
  kill(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** How the program ended. */
  async exit(deadline = DEADLINE): Promise<Deno.CommandStatus> {
    return await withDeadline(this.#child.status, deadline, "the end of the program");
  }

  /** Waits until no process of this test is left; after the deadline the error names those that are. */
  async nothingLeft(deadline = 3_000): Promise<void> {
    const { marker } = this.#bench;
    try {
      await until(
        async () => (await processesWith(marker)).length === 0,
        deadline,
        `the processes of ${marker} to end`,
      );
    } catch (error) {
      const left = (await processesWith(marker)).map(({ pid, command }) => `${pid} ${command}`).join("\n");
      throw new Error(`Processes are left:\n${left}`, { cause: error });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.closeInput();
    try {
      await this.exit(20_000);
      await this.#reading;
      await this.nothingLeft();
    } catch (error) {
      await this.#abandon();
      throw error;
    }
    if (this.#impurities.length > 0) {
      throw new Error(`stdout had lines that are not messages: ${this.#impurities.join("\n")}`);
    }
  }

  /** The last resort: kills the program and its remaining processes, then frees the pipes. */
  async #abandon(): Promise<void> {
    await this.closeInput();
    for (const { pid } of await processesWith(this.#bench.marker)) killIfThere(pid);
    await this.#child.status;
    await this.#reading;
  }

  #receive(line: string): void {
    const message = parsed(line);
    if (message === undefined) {
      this.#impurities.push(line.slice(0, 500));
      return;
    }
    for (const listener of this.#listeners) listener(message);
    for (const waiter of this.#waiters) {
      if (!waiter.matches(message)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(message);
      return;
    }
    this.#unclaimed.push(message);
  }

  #endOfMessages(): void {
    this.#outputOpen = false;
    for (const waiter of this.#waiters) waiter.reject(this.#closed());
  }

  #closed(): Error {
    return new Error(`The server closed its output. It wrote:\n${this.#stderr}`);
  }
}

function parsed(line: string): RpcMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
