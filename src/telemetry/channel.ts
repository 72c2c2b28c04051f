/**
 * One kind of message on its way to the collector: sent a while after the first news, one at a time, and again after
 * growing pauses while the collector is not there.
 */
import type { Sent } from "./collector.ts";

export interface ChannelOptions {
  /** Sends what there is to send; false: more is there. Never rejects. */
  readonly send: (signal: AbortSignal) => Promise<Sent & { readonly isAll: boolean }>;
  /** Between the first news and its message, milliseconds. */
  readonly delayMs: number;
  /** Gets what the collector answers. */
  readonly onFailure: (why: string) => void;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** A collector cannot ask for more. */
const LONGEST_ASKED_MS = 600_000;

export class Channel {
  readonly #options: ChannelOptions;
  readonly #end = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;
  /** Messages in a row that were not taken. */
  #failures = 0;
  #hasNews = false;
  #isClosing = false;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  /** There is something to send, at once where much of it waits. */
  news(isMuch = false): void {
    this.#hasNews = true;
    if (this.#sending !== undefined || this.#isClosing) return;
    if (isMuch && this.#failures === 0) this.#begin();
    else this.#timer ??= setTimeout(() => this.#begin(), this.#options.delayMs);
  }

  /** Sends what is left within `ms`, unless the collector was away before. Nothing is sent afterwards. */
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
