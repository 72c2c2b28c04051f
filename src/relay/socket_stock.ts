/** Unconnected sockets of a network, created several at a time when one is needed and none is left. */
import type { Sockets } from "./sockets.ts";

export class SocketStock {
  readonly #make: () => Promise<readonly number[]>;
  readonly #sockets: Pick<Sockets, "adopt" | "close">;
  readonly #free: number[] = [];
  #making: Promise<void> | undefined;
  #isClosed = false;

  constructor(make: () => Promise<readonly number[]>, sockets: Pick<Sockets, "adopt" | "close">) {
    this.#make = make;
    this.#sockets = sockets;
  }

  /** A socket, which the caller owns. @throws {Error} When the system creates none, or the stock is closed. */
  async take(): Promise<number> {
    for (;;) {
      if (this.#isClosed) throw new Error("The network of commands has ended");
      const socket = this.#free.pop();
      if (socket !== undefined) return socket;
      await (this.#making ??= this.#fill());
    }
  }

  /** Closes what was not taken. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#free.splice(0)) this.#sockets.close(socket);
  }

  async #fill(): Promise<void> {
    try {
      const made = await this.#make();
      for (const socket of made) this.#sockets.adopt(socket);
      this.#free.push(...made);
      if (this.#isClosed) this.close();
    } finally {
      this.#making = undefined;
    }
  }
}
