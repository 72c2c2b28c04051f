/** Reads the messages of one child server from its stdout. */
import type { Logger } from "../base/log.ts";
import { readWireMessage, type WireMessage } from "../wire/json_rpc_message.ts";
import { LineSplitter, type SplitLine } from "../wire/line_splitter.ts";
import type { UnreadInput } from "./unread_input.ts";

/** Longer lines are dropped, bytes. */
const LONGEST_LINE = 16 * 1024 * 1024;
/** A line that has not ended after so many bytes never will. */
const ENDLESS = 4 * LONGEST_LINE;

/** What a call gets whose answer is too long. */
const TOO_LONG = {
  code: -32603,
  message: "The server answered with more than 16 MiB, which is not read: ask it for less",
};
/** Where servers write the id of an answer: before the result, or after it. */
const FIRST_ID = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/;
const LAST_ID = /"id"\s*:\s*(\d{1,15})\s*\}\s*$/;

interface OutputReaderOptions {
  /** While it has pressure, nothing more is read. */
  readonly unread: UnreadInput;
  /** Receives each message, those of a batch one by one. */
  readonly onMessage: (message: Extract<WireMessage, { readonly message: unknown }>) => void;
  /** A line is too long, and what it answers cannot be told: a call may wait for it in vain. Nothing more is taken. */
  readonly onLost: () => void;
  readonly log: Logger;
}

export class OutputReader {
  readonly #options: OutputReaderOptions;
  readonly #splitter = new LineSplitter(LONGEST_LINE);
  #stopped = false;
  /** Bytes of the line that is being skipped, about. */
  #skipping = 0;
  /** Whether the call that it answers has been told. */
  #told = false;

  constructor(options: OutputReaderOptions) {
    this.#options = options;
  }

  /** Takes a chunk; a promise pauses the reading until it settles, because the server does not read its answers. */
  receive(chunk: Uint8Array): Promise<void> | undefined {
    const lines = this.#splitter.push(chunk);
    this.#takeLines(lines);
    if (this.#skipping > 0 && (this.#skipping += chunk.length) > ENDLESS) this.#lose();
    return this.#options.unread.pressure === undefined ? undefined : this.#takeSlowly(lines);
  }

  /** Drops the lines that wait for the pressure to end, and all that come. */
  stop(): void {
    this.#stopped = true;
  }

  #lose(): void {
    this.stop();
    this.#options.onLost();
  }

  #takeLines(lines: Iterator<SplitLine>): void {
    const { unread, log } = this.#options;
    while (!this.#stopped && unread.pressure === undefined) {
      const { value: line, done } = lines.next();
      if (done === true) return;
      switch (line.kind) {
        case "line":
          this.#take(readWireMessage(line.bytes));
          break;
        case "too_long":
          log.warn("A child server wrote a line that is too long", { limit: LONGEST_LINE });
          this.#skipping = LONGEST_LINE;
          this.#told = this.#refuse(FIRST_ID, line.start);
          break;
        case "skipped":
          this.#skipping = 0;
          if (!this.#told && !this.#refuse(LAST_ID, line.end)) this.#lose();
      }
    }
  }

  /** Ends the call that a line too long answers; false: the line does not say there which one it is. */
  #refuse(place: RegExp, bytes: Uint8Array): boolean {
    const id = place.exec(new TextDecoder().decode(bytes))?.[1];
    if (id === undefined) return false;
    const message = { jsonrpc: "2.0", id: Number(id), error: TOO_LONG } as const;
    this.#options.onMessage({ kind: "response", message });
    return true;
  }

  async #takeSlowly(lines: Iterator<SplitLine>): Promise<void> {
    const { unread, log } = this.#options;
    log.debug("A child server does not read its answers; reading from it pauses");
    while (unread.pressure !== undefined) {
      await unread.pressure;
      if (this.#stopped) return;
      this.#takeLines(lines);
    }
  }

  #take(wire: WireMessage): void {
    switch (wire.kind) {
      case "batch":
        for (const item of wire.items) this.#take(item);
        return;
      case "invalid":
        return this.#options.log.debug("A child server wrote a line that is not a message", { problem: wire.problem });
      case "blank":
        return;
      default:
        return this.#options.onMessage(wire);
    }
  }
}
