/**
 * MCP over stdin and stdout (C2). The SDK's own transport drops broken lines in silence and forgets every request
 * in flight at an end; this one answers the first and, while stdin is open, writes until the last answer is out. After
 * the end of stdin it writes nothing more (X14): clients that closed it do not read, and some fail when they must.
 *
 * read → split into lines (bytes) → count, check → SDK; SDK → one line → stdout, in order. Nothing else writes to stdout.
 */
import { withTimeout } from "../../base/time.ts";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { type ByteOutput, MessageWriter } from "../../wire/message_writer.ts";
import { BATCH_REFUSED, takesBatches, type WireId, type WireMessage } from "../../wire/json_rpc_message.ts";
import { messageLines } from "../../wire/message_reader.ts";

/** The source of bytes: `Deno.stdin`, or a test's own. */
export interface ByteInput {
  /** Reads into a buffer and returns the number of bytes; null: the end. */
  read(buffer: Uint8Array): Promise<number | null>;
}

export interface StdioTransportOptions {
  readonly input: ByteInput;
  readonly output: ByteOutput;
  /** Called once, after the first bytes are written; absent: nothing is. */
  readonly onFirstWrite?: () => void;
  /** Writes to `output` already; absent: nothing does. */
  readonly writer?: MessageWriter;
  /** The id of the request that was already answered; absent: none was. */
  readonly answered?: WireId | undefined;
  readonly log: Logger;
}

const READ_BYTES = 64 * 1024;
/** How long a client that does not read can delay the end, milliseconds. */
const LAST_WRITES_MS = 2_000;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves when stdin has ended or failed, or stdout is closed. Nothing is written afterwards. */
  readonly inputEnded: Promise<void>;

  readonly #options: StdioTransportOptions;
  readonly #writer: MessageWriter;
  readonly #endInput: () => void;
  /** Requests that are neither answered nor cancelled. */
  readonly #pending = new Set<WireId>();
  #onAnswered: (() => void) | undefined;
  #isOpen = true;
  #closed = false;
  #takesBatches = false;
  #answered: WireId | undefined;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
    this.#answered = options.answered;
    const ended = Promise.withResolvers<void>();
    this.inputEnded = ended.promise;
    this.#endInput = () => {
      this.#isOpen = false;
      this.#writer.stop();
      this.#onAnswered?.();
      ended.resolve();
    };
    const onFailure = (thrown: unknown) => this.#outputFailed(thrown);
    this.#writer = options.writer ?? new MessageWriter(options.output, onFailure, options.onFirstWrite);
    this.#writer.onFailure = onFailure;
  }

  /** The negotiated version of the connection. */
  setProtocolVersion(version: string): void {
    this.#takesBatches = takesBatches(version);
  }

  /** Whether the client is still connected, as far as is known. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Begins to read. */
  start(): Promise<void> {
    void this.#readAll();
    return Promise.resolve();
  }

  /** Writes one message; resolves when it is written, or dropped because the client is gone. */
  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return Promise.reject(new Error("Cannot send a message: the connection is closed"));
    const written = this.#write(message);
    if (!("method" in message) && message.id !== undefined && message.id !== null) this.#settle(message.id);
    return written;
  }

  /** Waits until every request is answered or the client is gone; false: `timeoutMs` passed first. */
  async whenAnswered(timeoutMs: number): Promise<boolean> {
    if (this.#isOpen && this.#pending.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onAnswered = resolve;
      await withTimeout(promise, timeoutMs);
    }
    return !this.#isOpen || this.#pending.size === 0;
  }

  /** Ends the connection: writes what is left, as far as the client reads it within two seconds. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await withTimeout(this.#writer.flush(), LAST_WRITES_MS);
    this.onclose?.();
  }

  async #readAll(): Promise<void> {
    const { input } = this.#options;
    const splitter = messageLines();
    const buffer = new Uint8Array(READ_BYTES);
    try {
      for (let size = await input.read(buffer); size !== null; size = await input.read(buffer)) {
        if (this.#closed) return; // It has not ended, and what still comes is not for this connection.
        for (const message of splitter.push(buffer.subarray(0, size))) this.#receive(message);
      }
      const last = splitter.end();
      if (last !== undefined) this.#receive(last);
    } catch (thrown) {
      this.#options.log.warn("Cannot read from stdin", { error: messageOf(thrown) });
    }
    this.#endInput();
  }

  #receive(wire: WireMessage): void {
    switch (wire.kind) {
      case "request":
        // A subscription stays open until the connection ends, so it is not awaited.
        if (wire.method !== "subscriptions/listen" && wire.id !== this.#answered) this.#pending.add(wire.id);
        this.#answered = undefined;
        return this.onmessage?.(wire.message);
      case "notification":
        this.onmessage?.(wire.message);
        if (wire.cancels !== undefined) this.#settle(wire.cancels);
        return;
      case "response":
        return this.onmessage?.(wire.message);
      case "batch":
        if (!this.#takesBatches) return this.#refuse(BATCH_REFUSED.id, BATCH_REFUSED.code, BATCH_REFUSED.problem);
        for (const item of wire.items) this.#receive(item);
        return;
      case "invalid":
        if (wire.meantAs !== "request") {
          return this.#options.log.warn("Dropped a malformed message", { problem: wire.problem });
        }
        return this.#refuse(wire.id, wire.code, wire.problem);
      case "blank":
        return;
    }
  }

  #refuse(id: WireId | null, code: number, message: string): void {
    this.#options.log.warn("Refused a message from the client", { code, message });
    void this.#write({ jsonrpc: "2.0", id, error: { code, message } });
  }

  #write(message: unknown): Promise<void> {
    return this.#writer.writeLine(JSON.stringify(message));
  }

  #settle(id: WireId): void {
    if (this.#pending.delete(id) && this.#pending.size === 0) this.#onAnswered?.();
  }

  #outputFailed(thrown: unknown): void {
    // A client that closes only stdout has ended the connection too.
    if (!(thrown instanceof Deno.errors.BrokenPipe)) {
      this.#options.log.warn("Cannot write to stdout", { error: messageOf(thrown) });
    }
    this.#endInput();
  }
}
