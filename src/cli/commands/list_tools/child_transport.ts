/** MCP transport of the SDK's client to a child server. */
import { encodeText } from "../../../base/text.ts";
import { withTimeout } from "../../../base/time.ts";
import type { Logger } from "../../../base/log.ts";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { ChildServer, StartChildServer } from "../../../child_server/child_server.ts";
import { OutputReader } from "../../../child_server/output_reader.ts";
import { UnreadInput } from "../../../child_server/unread_input.ts";

/** Time that a server has to end when its stdin is closed, milliseconds. */
const END_GRACE_MS = 2_000;

export class ChildTransport implements Transport {
  // The SDK sets these; its interface asks for public fields.
  onmessage?: Transport["onmessage"];
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  /** Marks of a stdio transport for the SDK, which then sends `initialize` when `server/discover` gets no answer. */
  readonly pid = null;
  readonly stderr = null;
  readonly #unread = new UnreadInput();
  readonly #reader: OutputReader;
  #server: ChildServer | undefined;
  #ended: string | undefined;
  #closed = false;

  constructor(log: Logger) {
    this.#reader = new OutputReader({
      unread: this.#unread,
      onMessage: ({ message }) => this.onmessage?.(message),
      onLost: () => this.#server?.kill(),
      log,
    });
  }

  /** How the server ended by itself, as a sentence; undefined: it has not, or its stdin was closed before. */
  get ended(): string | undefined {
    return this.#ended;
  }

  /** Starts the server. Rejects when it cannot be started; the message says why. */
  async launch(start: StartChildServer, onErrorLine: (line: string) => void): Promise<void> {
    const server = await start({ onOutput: (chunk) => this.#reader.receive(chunk), onErrorLine });
    this.#server = server;
    void server.ended.then((how) => {
      if (!this.#closed) this.#ended = how;
      this.#closeOnce();
    });
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed || this.#server === undefined) throw new Error("The server has ended");
    if (this.#unread.isFull) return this.end();
    const bytes = encodeText(`${JSON.stringify(message)}\n`);
    const written = this.#server.write(bytes);
    this.#unread.add(bytes.length, { isAnswer: !("method" in message) }, written);
    await written;
  }

  /** Ends the server at once. */
  end(): void {
    this.#server?.kill();
  }

  /** Asks the server to end, and ends it two seconds later if it still runs. */
  async close(): Promise<void> {
    this.#closeOnce();
    await this.#server?.askToEnd();
    if (this.#server !== undefined && await withTimeout(this.#server.ended, END_GRACE_MS) === undefined) this.end();
    await this.#server?.ended;
  }

  #closeOnce(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#reader.stop();
    this.onclose?.();
  }
}
