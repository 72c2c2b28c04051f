/** MCP transport to a command of the runner: messages are lines on its stdin and stdout. */
import { encodeText } from "../../../base/text.ts";
import { ignoreClosedPipe } from "../../../base/errors.ts";
import { withTimeout } from "../../../base/time.ts";
import type { CommandEnd } from "../../../base/command/command_end.ts";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { OpenCommand } from "../../../process/session_runner.ts";
import { LineSplitter } from "../../../wire/line_splitter.ts";
import { readWireMessage, type WireMessage } from "../../../wire/json_rpc_message.ts";

const LONGEST_LINE = 16 * 1024 * 1024;
/** Unread bytes beyond which a server is ended. */
const MOST_UNREAD = 16 * 1024 * 1024;
/** Time that a server has to end when its stdin is closed, milliseconds. */
const END_GRACE_MS = 2_000;

export class CommandTransport implements Transport {
  // The SDK sets these; its interface asks for public fields.
  onmessage?: Transport["onmessage"];
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  readonly #abort: AbortController;
  readonly #splitter = new LineSplitter(LONGEST_LINE);
  #opened: OpenCommand | undefined;
  #writer: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #ended: CommandEnd | undefined;
  #hasEnded = false;
  #done: Promise<void> = Promise.resolve();
  #closed = false;
  /** Bytes that the server was sent and has not read. */
  #unread = 0;

  /** Marks of a stdio transport for the SDK, which then sends `initialize` when `server/discover` gets no answer. */
  readonly pid = null;
  readonly stderr = null;

  /** `abort` ends the command. */
  constructor(abort: AbortController) {
    this.#abort = abort;
  }

  /** How the command ended by itself; undefined: it has not, or it ended because its stdin was closed. */
  get ended(): CommandEnd | undefined {
    return this.#ended;
  }

  /** Takes the command over, right after it was opened. */
  attach(opened: OpenCommand): void {
    this.#opened = opened;
    this.#writer = opened.stdin.getWriter();
    this.#done = opened.end.then((end) => {
      this.#hasEnded = true;
      if (!this.#closed) this.#ended = end;
      this.#closeOnce();
    });
  }

  /** Takes bytes of the command's stdout. Lines that are no message are skipped: many servers print a greeting. */
  receive(chunk: Uint8Array): void {
    for (const line of this.#splitter.push(chunk)) {
      if (line.kind === "line") this.#take(readWireMessage(line.bytes));
      else this.onerror?.(new Error(`A line is longer than ${LONGEST_LINE} bytes`));
    }
  }

  #take(wire: WireMessage): void {
    switch (wire.kind) {
      case "batch":
        for (const item of wire.items) this.#take(item);
        return;
      case "invalid":
        return this.onerror?.(new Error(wire.problem));
      case "blank":
        return;
      default:
        return this.onmessage?.(wire.message);
    }
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed || this.#writer === undefined) throw new Error("The server has ended");
    const bytes = encodeText(`${JSON.stringify(message)}\n`);
    this.#unread += bytes.length;
    if (this.#unread > MOST_UNREAD) return this.end();
    try {
      await this.#writer.write(bytes);
      this.#unread -= bytes.length;
    } catch (thrown) {
      // The server has closed its stdin and is most likely ending; its end says more.
      await withTimeout(this.#done, END_GRACE_MS);
      throw thrown;
    }
  }

  /** Ends the command at once. */
  end(): void {
    this.#abort.abort();
  }

  /** Closes the command's stdin, and ends the command two seconds later if it still runs. */
  async close(): Promise<void> {
    this.#closeOnce();
    if (this.#opened === undefined || this.#hasEnded) return;
    const writer = this.#writer;
    this.#writer = undefined;
    await writer?.close().catch(ignoreClosedPipe);
    await withTimeout(this.#done, END_GRACE_MS);
    if (!this.#hasEnded) this.#abort.abort();
    await this.#done;
  }

  #closeOnce(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }
}
