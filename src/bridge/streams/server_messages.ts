/** Messages that wait for a stream: requests until they are answered, notifications until the next stream opens. */
import type { JSONRPCMessage, JSONRPCNotification, JSONRPCRequest } from "@modelcontextprotocol/server";
import type { WireId } from "../../wire/json_rpc_message.ts";

interface Asked {
  readonly message: JSONRPCMessage;
  /** The stream that carries it, or carried it last. */
  stream: number | undefined;
  /** Whether that stream is still open. */
  carried: boolean;
}

/** Notifications that wait, and characters of all of them. */
const MOST_NOTIFICATIONS = 256;
const MOST_CHARACTERS = 1024 * 1024;

export class ServerMessages {
  readonly #asked = new Map<WireId, Asked>();
  #notifications: { readonly message: JSONRPCMessage; readonly size: number }[] = [];
  #size = 0;

  /** Keeps a message, which no stream carries yet; drops the oldest notifications beyond the limits. */
  add(message: JSONRPCRequest | JSONRPCNotification): void {
    if ("id" in message) return void this.#asked.set(message.id, { message, stream: undefined, carried: false });
    const { length: size } = JSON.stringify(message);
    this.#notifications.push({ message, size });
    this.#size += size;
    while (this.#notifications.length > MOST_NOTIFICATIONS || this.#size > MOST_CHARACTERS) {
      this.#size -= this.#notifications.shift()?.size ?? 0;
    }
  }

  /** Removes the request that the client has answered. False: no request has this id. */
  answered(id: WireId): boolean {
    return this.#asked.delete(id);
  }

  /** Notes that a message was written to `stream`, if the message is one of these requests. */
  written(message: JSONRPCMessage, stream: number, isOpen: boolean): void {
    const asked = "method" in message && "id" in message ? this.#asked.get(message.id) : undefined;
    if (asked === undefined) return;
    asked.stream = stream;
    asked.carried = isOpen;
  }

  /** Notes that `stream` is open again: its client has all its messages, except those for which `isGone`. */
  resumed(stream: number, isGone: (message: JSONRPCMessage) => boolean): void {
    for (const asked of this.#asked.values()) {
      if (asked.stream === stream) asked.carried = !isGone(asked.message);
    }
  }

  /** Notes that the client has closed `stream`; returns the requests that it carried, for another stream. */
  left(stream: number): readonly JSONRPCMessage[] {
    return [...this.#asked.values()].filter((asked) => asked.carried && asked.stream === stream).map((asked) => {
      asked.carried = false;
      return asked.message;
    });
  }

  /** The requests that no open stream carries. */
  uncarried(): readonly JSONRPCMessage[] {
    return [...this.#asked.values()].filter(({ carried }) => !carried).map(({ message }) => message);
  }

  /** Removes all notifications and returns them in their order. */
  takeNotifications(): readonly JSONRPCMessage[] {
    const waiting = this.#notifications;
    this.#notifications = [];
    this.#size = 0;
    return waiting.map(({ message }) => message);
  }

  clear(): void {
    this.#asked.clear();
    this.takeNotifications();
  }
}
