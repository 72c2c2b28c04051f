/** Reads the messages of one child server from its stdout. */
import type { Logger } from "../base/log.ts";
import { readWireMessage, type WireMessage } from "../wire/json_rpc_message.ts";
import { LineSplitter, type SplitLine } from "../wire/line_splitter.ts";
import type { UnreadInput } from "./unread_input.ts";

/** Longer lines are dropped, bytes. */
const LONGEST_LINE = 16 * 1024 * 1024;

interface OutputReaderOptions {
  /** While it has pressure, nothing more is read. */
  readonly unread: UnreadInput;
  /** Receives each message, those of a batch one by one. */
  readonly onMessage: (message: Extract<WireMessage, { readonly message: unknown }>) => void;
  readonly log: Logger;
}

export class OutputReader {
  readonly #options: OutputReaderOptions;
  readonly #splitter = new LineSplitter(LONGEST_LINE);
  #stopped = false;

  constructor(options: OutputReaderOptions) {
    this.#options = options;
  }

  /** Takes a chunk; a promise pauses the reading until it settles, because the server does not read its answers. */
  receive(chunk: Uint8Array): Promise<void> | undefined {
    const lines = this.#splitter.push(chunk);
    this.#takeLines(lines);
    return this.#options.unread.pressure === undefined ? undefined : this.#takeSlowly(lines);
  }

  /** Drops the lines that wait for the pressure to end. */
  stop(): void {
    this.#stopped = true;
  }

  #takeLines(lines: Iterator<SplitLine>): void {
    const { unread, log } = this.#options;
    while (unread.pressure === undefined) {
      const { value: line, done } = lines.next();
      if (done === true) return;
      if (line.kind === "line") this.#take(readWireMessage(line.bytes));
      else log.warn("A child server wrote a line that is too long", { limit: LONGEST_LINE });
    }
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
        return this.#options.log.debug("A child server wrote a line that is no message", { problem: wire.problem });
      case "blank":
        return;
      default:
        return this.#options.onMessage(wire);
    }
  }
}
