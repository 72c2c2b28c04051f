/** What the server says while the client has no stream open: kept for the next one. */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";

/** How much is kept. */
interface WaitingLimits {
  readonly messages: number;
  /** The characters of all of them. */
  readonly size: number;
}

const DEFAULT_LIMITS: WaitingLimits = { messages: 256, size: 1024 * 1024 };

export class PendingMessages {
  readonly #limits: WaitingLimits;
  #waiting: { readonly message: JSONRPCMessage; readonly size: number }[] = [];
  #size = 0;

  constructor(limits: WaitingLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  /** Keeps one; the oldest go when there are too many. */
  add(message: JSONRPCMessage): void {
    const { length: size } = JSON.stringify(message);
    this.#waiting.push({ message, size });
    this.#size += size;
    while (this.#waiting.length > this.#limits.messages || this.#size > this.#limits.size) {
      this.#size -= this.#waiting.shift()?.size ?? 0;
    }
  }

  /** Gives all in the order they came, and keeps none. */
  take(): readonly JSONRPCMessage[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#size = 0;
    return waiting.map(({ message }) => message);
  }
}
