/** Requests of the server that the client has not answered, and which stream carries each. */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { WireId } from "../../wire/json_rpc_message.ts";

interface Asked {
  readonly message: JSONRPCMessage;
  /** The stream that carries it, or did last. */
  stream: number | undefined;
  /** Whether that stream is still open. */
  carried: boolean;
}

export class ServerRequests {
  readonly #asked = new Map<WireId, Asked>();

  /** A new one, which no stream carries yet. */
  add(id: WireId, message: JSONRPCMessage): void {
    this.#asked.set(id, { message, stream: undefined, carried: false });
  }

  /** The client has answered. False: there is none with this id. */
  answered(id: WireId): boolean {
    return this.#asked.delete(id);
  }

  /** A message was written to `stream`, or would have been; nothing when it is none of these. */
  written(message: JSONRPCMessage, stream: number, isOpen: boolean): void {
    const asked = "method" in message && "id" in message ? this.#asked.get(message.id) : undefined;
    if (asked === undefined) return;
    asked.stream = stream;
    asked.carried = isOpen;
  }

  /** `stream` is open again: what it carried the client has seen, or sees now, but for what `isGone`. */
  resumed(stream: number, isGone: (message: JSONRPCMessage) => boolean): void {
    for (const asked of this.#asked.values()) {
      if (asked.stream === stream) asked.carried = !isGone(asked.message);
    }
  }

  /** The client has left `stream`; gives those it carried, for another stream. */
  left(stream: number): readonly JSONRPCMessage[] {
    return [...this.#asked.values()].filter((asked) => asked.carried && asked.stream === stream).map((asked) => {
      asked.carried = false;
      return asked.message;
    });
  }

  /** Those that no open stream carries. */
  uncarried(): readonly JSONRPCMessage[] {
    return [...this.#asked.values()].filter(({ carried }) => !carried).map(({ message }) => message);
  }

  clear(): void {
    this.#asked.clear();
  }
}
