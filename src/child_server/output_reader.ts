/** Reads the messages of one child server from its stdout. */
import type { Logger } from "../base/log.ts";
import type { InvalidMessage, WireId, WireMessage } from "../wire/json_rpc_message.ts";
import { excessiveAnswer, LONGEST_MESSAGE } from "../wire/message_bounds.ts";
import { messageLines, type MessageReader } from "../wire/message_reader.ts";

/** A message without an end after this many bytes counts as endless. */
const ENDLESS = 4 * LONGEST_MESSAGE;
const INTERNAL_ERROR = -32603;

interface OutputReaderOptions {
  /** While it has pressure, nothing more is read. */
  readonly unread: UnreadInput;
  /** Receives each message, those of a batch one by one. */
  readonly onMessage: (message: Extract<WireMessage, { readonly message: unknown }>) => void;
  /** Receives each request that is malformed, or beyond a bound. */
  readonly onRefused: (id: WireId, error: { readonly code: number; readonly message: string }) => void;
  /** A message is too long, and its request is unknown: a call may wait for it forever. No more input is accepted. */
  readonly onLost: () => void;
  readonly log: Logger;
}

export class OutputReader {
  readonly #options: OutputReaderOptions;
  readonly #splitter = messageLines();
  #stopped = false;
  /** The message whose call got its answer before the message ended. */
  #told: MessageReader | undefined;

  constructor(options: OutputReaderOptions) {
    this.#options = options;
  }

  /** Takes a chunk; a promise pauses the reading until it settles, because the server does not read its answers. */
  receive(chunk: Uint8Array): Promise<void> | undefined {
    const messages = this.#splitter.push(chunk);
    this.#takeAll(messages);
    this.#lookAtBegun();
    return this.#options.unread.pressure === undefined ? undefined : this.#takeSlowly(messages);
  }

  /** Drops the messages that wait for the pressure to end, and all that come. */
  stop(): void {
    this.#stopped = true;
  }

  #lose(): void {
    this.stop();
    this.#options.onLost();
  }

  #takeAll(messages: Iterator<WireMessage>): void {
    while (!this.#stopped && this.#options.unread.pressure === undefined) {
      const { value: message, done } = messages.next();
      if (done === true) return;
      this.#take(message);
    }
  }

  /** The end of a message that is too long may never come: its call, if known, gets the error at once. */
  #lookAtBegun(): void {
    const { begun } = this.#splitter;
    if (begun === undefined || this.#stopped) return;
    if (begun.length > ENDLESS) return this.#lose();
    const refused = begun === this.#told ? undefined : begun.excessive;
    if (refused?.meantAs === "answer" && this.#endCall(refused)) this.#told = begun;
  }

  async #takeSlowly(messages: Iterator<WireMessage>): Promise<void> {
    const { unread, log } = this.#options;
    log.debug("A child server does not read its answers; reading from it pauses");
    while (unread.pressure !== undefined) {
      await unread.pressure;
      if (this.#stopped) return;
      this.#takeAll(messages);
    }
  }

  #take(wire: WireMessage): void {
    switch (wire.kind) {
      case "batch":
        for (const item of wire.items) this.#take(item);
        return;
      case "invalid":
        return this.#refuse(wire);
      case "blank":
        return;
      default:
        return this.#options.onMessage(wire);
    }
  }

  #refuse(invalid: InvalidMessage): void {
    const { id, code, problem, meantAs, excess } = invalid;
    const { log, onRefused } = this.#options;
    log[excess === undefined ? "debug" : "warn"]("A child server wrote a line that is not a message", { problem });
    if (meantAs === "notification" || meantAs === "answer" && this.#endCall(invalid)) return;
    if (meantAs === "request" && id !== null) return onRefused(id, { code, message: problem });
    if (excess === "length") this.#lose();
  }

  /** Ends the call that it was meant to answer; false: it does not name a call. */
  #endCall({ id, problem, excess }: InvalidMessage): boolean {
    if (typeof id !== "number") return false;
    const reason = excess === undefined ? `The server's answer is malformed. ${problem}` : excessiveAnswer(excess);
    const error = { code: INTERNAL_ERROR, message: reason };
    this.#options.onMessage({ kind: "response", message: { jsonrpc: "2.0", id, error } });
    return true;
  }
}

/** With this many unread bytes a server gets no further requests and notifications. */
const MOST_BYTES = 64 * 1024 * 1024;
/** With this many unread bytes of answers to its own requests the server is not read from. */
const MOST_ANSWER_BYTES = 1024 * 1024;

/**
 * Counts the unread input of a child server. A hostile server may read nothing, so its input is limited, and so are the
 * answers to its own requests.
 */
export class UnreadInput {
  #bytes = 0;
  #answerBytes = 0;
  #relief: PromiseWithResolvers<void> | undefined;

  /** Whether the server gets nothing more for now. */
  get isFull(): boolean {
    return this.#bytes > MOST_BYTES;
  }

  /** Settles when the server may be read again; undefined: it may be read now. */
  get pressure(): Promise<void> | undefined {
    if (this.#answerBytes <= MOST_ANSWER_BYTES) return undefined;
    return (this.#relief ??= Promise.withResolvers<void>()).promise;
  }

  /** Counts `bytes` until `read` settles, which never rejects. */
  add(bytes: number, { isAnswer }: { readonly isAnswer: boolean }, read: Promise<void>): void {
    const answerBytes = isAnswer ? bytes : 0;
    this.#bytes += bytes;
    this.#answerBytes += answerBytes;
    void read.then(() => {
      this.#bytes -= bytes;
      this.#answerBytes -= answerBytes;
      if (this.pressure !== undefined) return;
      this.#relief?.resolve();
      this.#relief = undefined;
    });
  }
}
