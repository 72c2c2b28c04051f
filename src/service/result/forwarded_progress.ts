/** Progress of a call in another program, on its way to the client. */
import { visibleStart } from "../../base/visible_text.ts";
import type { CallContext } from "../service.ts";

/** Messages that the client has not taken yet; a program may send without end. */
const MOST_UNREAD = 32;
/** Characters of a step's message. */
const LONGEST_MESSAGE = 1_000;

/** Hands progress on as long as the call is not answered and the client takes it; it only rises. */
export class ForwardedProgress {
  readonly #context: Pick<CallContext, "sendProgress">;
  #last = -Infinity;
  #unread = 0;
  #ended = false;

  constructor(context: Pick<CallContext, "sendProgress">) {
    this.#context = context;
  }

  /** Takes the parameters of one notification; drops it where the client has many that it did not take. */
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

  /** The call is answered: nothing more is handed on. */
  end(): void {
    this.#ended = true;
  }
}
