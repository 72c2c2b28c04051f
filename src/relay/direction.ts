/** One direction of a connection: passes on what one end sends, as fast as the other end accepts it. */
import type { Sockets } from "./sockets.ts";

/** Memory that all connections of a relay share. */
export class RelayMemory {
  readonly #buffer = new Uint8Array(LARGE_BYTES);
  /** Bytes that were read and not yet accepted by the other end. */
  pending = 0;

  /** Size of the next read: small while much is pending, so that stalled ends fill no memory. */
  get room(): Uint8Array<ArrayBuffer> {
    return this.pending < MUCH_BYTES ? this.#buffer : this.#buffer.subarray(0, SMALL_BYTES);
  }
}

const LARGE_BYTES = 256 * 1024;
const SMALL_BYTES = 16 * 1024;
const MUCH_BYTES = 32 * 1024 * 1024;
/** Most reads in one turn: other connections must have theirs. */
const MOST_READS = 16;

/** What is left to do: `wait` for an end, continue in another turn, nothing, or nothing because it failed. */
export type DirectionState = "wait" | "again" | "done" | "broken";

/** How many of these bytes are passed on, from the first: the rest is dropped. Undefined: nothing more is passed on. */
export type Admits = (bytes: Uint8Array) => number | undefined;

export class Direction {
  /** Bytes that were passed on. */
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

  /** Sets what is sent first; called once, before the first step; keeps the bytes. `admits`: absent: all pass. */
  begin(bytes: Uint8Array<ArrayBuffer>, admits?: Admits): void {
    this.#admits = admits;
    this.#keep(bytes);
  }

  /** Passes on what it can. */
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

  /** True: all was sent; false: the other end accepts no more now. */
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
