/** One direction of a connection: what one end sends is passed on to the other, as far as that takes it. */
import type { Sockets } from "./sockets.ts";

/** Memory that all connections of a relay share. */
export class RelayMemory {
  readonly #buffer = new Uint8Array(LARGE_BYTES);
  /** Bytes that were read and not yet taken by their other end. */
  pending = 0;

  /** Room for the next read: little while much is pending, so that ends that take nothing fill no memory. */
  get room(): Uint8Array<ArrayBuffer> {
    return this.pending < MUCH_BYTES ? this.#buffer : this.#buffer.subarray(0, SMALL_BYTES);
  }
}

const LARGE_BYTES = 256 * 1024;
const SMALL_BYTES = 16 * 1024;
const MUCH_BYTES = 32 * 1024 * 1024;
/** Reads in one turn: others must have theirs. */
const MOST_READS = 16;

/** What is left to do: `wait` for an end, go on in another turn, nothing, or nothing can be done any more. */
export type DirectionState = "wait" | "again" | "done" | "broken";

/** How many of these bytes are passed on, from the first: the rest is dropped. Undefined: nothing is any more. */
export type Admits = (bytes: Uint8Array) => number | undefined;

export class Direction {
  /** That were passed on. */
  bytes = 0;
  readonly #sockets: Sockets;
  readonly #memory: RelayMemory;
  #pending: Uint8Array<ArrayBuffer> = NOTHING;
  #admits: Admits | undefined;
  #isEnding = false;
  #isDone = false;

  constructor(sockets: Sockets, memory: RelayMemory) {
    this.#sockets = sockets;
    this.#memory = memory;
  }

  /** Sets what is sent before all else, once and before the first step; the bytes are kept. `admits`: absent: all pass. */
  begin(bytes: Uint8Array<ArrayBuffer>, admits?: Admits): void {
    this.#admits = admits;
    this.#keep(bytes);
  }

  /** Passes on what can be. */
  step(from: number, to: number): DirectionState {
    for (let reads = 0; reads < MOST_READS; reads++) {
      if (this.#isDone) return "done";
      const sent = this.#pending.length === 0 || this.#send(to);
      if (sent !== true) return sent === false ? "wait" : sent;
      if (this.#isEnding) {
        this.#sockets.endSending(to);
        this.#isDone = true;
        return "done";
      }
      const room = this.#memory.room;
      const read = this.#sockets.receive(from, room);
      if (read === "blocked") return "wait";
      if ("errno" in read) return "broken";
      if (read.bytes === 0) this.#isEnding = true;
      else {
        const bytes = room.subarray(0, read.bytes);
        const admitted = this.#admits === undefined ? bytes.length : this.#admits(bytes);
        if (admitted === undefined) return "broken";
        const passed = this.#pass(to, bytes.subarray(0, admitted));
        if (passed !== true) return passed === false ? "wait" : passed;
      }
    }
    return "again";
  }

  /** Frees what was not passed on. */
  abandon(): void {
    this.#keep(NOTHING);
    this.#isDone = true;
  }

  /** True: all was sent; false: the other end takes no more now. */
  #send(to: number): boolean | "broken" {
    const bytes = this.#pending;
    this.#keep(NOTHING);
    return this.#pass(to, bytes);
  }

  #pass(to: number, bytes: Uint8Array<ArrayBuffer>): boolean | "broken" {
    let rest = bytes;
    while (rest.length > 0) {
      const sent = this.#sockets.send(to, rest);
      if (sent === "blocked") {
        this.#keep(rest.slice());
        return false;
      }
      if ("errno" in sent) return "broken";
      this.bytes += sent.bytes;
      rest = rest.subarray(sent.bytes);
    }
    return true;
  }

  #keep(bytes: Uint8Array<ArrayBuffer>): void {
    this.#memory.pending += bytes.length - this.#pending.length;
    this.#pending = bytes;
  }
}

const NOTHING = new Uint8Array(0);
