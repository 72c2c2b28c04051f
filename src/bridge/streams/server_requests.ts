/** Requests of the server that the client has not answered (server → client), and the stream that carries each. */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { WireId } from "../../wire/json_rpc_message.ts";

interface Asked {
  readonly message: JSONRPCMessage;
  /** The stream that carries it, or carried it last. */
  stream: number | undefined;
  /** Whether that stream is still open. */
  carried: boolean;
}

export class ServerRequests {
  readonly #asked = new Map<WireId, Asked>();

  /** Adds a request, which no stream carries yet. */
  add(id: WireId, message: JSONRPCMessage): void {
    this.#asked.set(id, { message, stream: undefined, carried: false });
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

  clear(): void {
    this.#asked.clear();
  }
}
