/** Messages of the server that wait for the client's next stream. */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";

/** Limits of the messages that are kept. */
interface WaitingLimits {
  readonly messages: number;
  /** Characters of all messages. */
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

  /** Keeps a message; drops the oldest beyond the limits. */
  add(message: JSONRPCMessage): void {
    const { length: size } = JSON.stringify(message);
    this.#waiting.push({ message, size });
    this.#size += size;
    while (this.#waiting.length > this.#limits.messages || this.#size > this.#limits.size) {
      this.#size -= this.#waiting.shift()?.size ?? 0;
    }
  }

  /** Removes all messages and returns them in their order. */
  take(): readonly JSONRPCMessage[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#size = 0;
    return waiting.map(({ message }) => message);
  }
}
