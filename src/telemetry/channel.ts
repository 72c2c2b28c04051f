/** One kind of message to the collector: sent soon after a change, one at a time, and repeated if it fails. */
import type { Sent } from "./collector.ts";

export interface ChannelOptions {
  /** Sends what is waiting; false: more is waiting. Never rejects. */
  readonly send: (signal: AbortSignal) => Promise<Sent & { readonly isAll: boolean }>;
  /** Time between the first news and its message, milliseconds. */
  readonly delayMs: number;
  /** Called with the collector's answer. */
  readonly onFailure: (why: string) => void;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** The longest pause that a collector can ask for. */
const LONGEST_ASKED_MS = 600_000;

export class Channel {
  readonly #options: ChannelOptions;
  readonly #end = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;
  /** Consecutive messages that were not accepted. */
  #failures = 0;
  #hasNews = false;
  #isClosing = false;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  /** Announces something to send; sends at once if much is waiting. */
  news(isMuch = false): void {
    this.#hasNews = true;
    if (this.#sending !== undefined || this.#isClosing) return;
    if (isMuch && this.#failures === 0) this.#begin();
    else this.#timer ??= setTimeout(() => this.#begin(), this.#options.delayMs);
  }

  /** Sends the rest within `ms`, unless the collector was unreachable. Nothing is sent afterwards. */
  async close(ms: number): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#timer);
    const timer = setTimeout(() => this.#end.abort(new Error("The server ended")), ms);
    if (this.#failures === 0) {
      await this.#sending;
      while (this.#hasNews && this.#failures === 0 && !this.#end.signal.aborted) await this.#send();
    }
    clearTimeout(timer);
    this.#end.abort(new Error("The server ended"));
    await this.#sending;
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#send().then((pauseMs) => {
      this.#sending = undefined;
      if (this.#hasNews && !this.#isClosing) this.#timer = setTimeout(() => this.#begin(), pauseMs);
    });
  }

  /** Returns the pause before the next message. */
  async #send(): Promise<number> {
    const { send, delayMs, onFailure } = this.#options;
    this.#hasNews = false;
    const sent = await send(this.#end.signal);
    if (sent.kind !== "taken" && !this.#end.signal.aborted) onFailure(sent.why);
    this.#hasNews ||= sent.kind === "later" || !sent.isAll;
    if (sent.kind !== "later") {
      this.#failures = 0;
      return sent.isAll ? delayMs : 0;
    }
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LONGEST_PAUSE_MS) * (0.5 + Math.random());
    return Math.max(pauseMs, Math.min(sent.afterMs ?? 0, LONGEST_ASKED_MS));
  }
}
