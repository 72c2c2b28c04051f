/** Forwards the progress of a call in another program to the client. */
import { visibleStart } from "../../base/visible_text.ts";
import type { CallContext } from "../service.ts";

/** Maximum number of unsent messages, because a program may send countless ones. */
const MOST_UNREAD = 32;
/** Maximum length of a message, characters. */
const LONGEST_MESSAGE = 1_000;

/** Forwards progress until the call is answered, as fast as the client reads; it only increases. */
export class ForwardedProgress {
  readonly #context: Pick<CallContext, "sendProgress">;
  #last = -Infinity;
  #unread = 0;
  #ended = false;

  constructor(context: Pick<CallContext, "sendProgress">) {
    this.#context = context;
  }

  /** Forwards one notification, or drops it if too many are unsent. */
  forward({ progress, total, message }: Readonly<Record<string, unknown>>): void {
    const { sendProgress } = this.#context;
    if (sendProgress === undefined || this.#ended || this.#unread >= MOST_UNREAD) return;
    if (typeof progress !== "number" || !Number.isFinite(progress) || progress <= this.#last) return;
    this.#last = progress;
    this.#unread++;
    void sendProgress(
      progress,
      typeof message === "string" ? visibleStart(message, LONGEST_MESSAGE) : undefined,
      typeof total === "number" ? total : undefined,
    ).finally(() => this.#unread--);
  }

  /** Stops forwarding, because the call is answered. */
  end(): void {
    this.#ended = true;
  }
}
