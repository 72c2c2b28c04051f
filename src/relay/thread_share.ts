/**
 * The program has one thread: connections have it in turns, and the rest of the program in between. Both are quick where
 * the thread itself waits for the kernel: another thread that waits in its place wakes it a tenth of a millisecond late.
 */
import { LazyLibrary, LITTLE_ENDIAN } from "../system/c_library.ts";
import { withLibc } from "../system/libc.ts";

const LIBRARY = {
  poll: { parameters: ["buffer", "u64", "i32"], result: "i32" },
  /** The same call, which waits for nothing, on another thread. */
  rest: { name: "poll", parameters: ["buffer", "u64", "i32"], result: "i32", nonblocking: true },
} as const;

/** `struct pollfd`. */
const POLLED_BYTES = 8;
const POLLIN = 1;
/** A turn, milliseconds: as long as the rest of the program needs nothing, and where it does. */
const MOST_MS = 5;
const LEAST_MS = 1;
/** How long the rest of the program has the thread at most. */
const REST_MS = 5;
/** How late timers of the program may be, which are not seen from here. */
const SOON_MS = 1;
/** What the program can go on with at once goes first, in steps. */
const STEPS = 16;

export class ThreadShare implements Disposable {
  readonly #library = new LazyLibrary(LIBRARY);
  /** What connections wait in, then what the runtime waits in, if that is known. */
  readonly #waiting: Uint8Array<ArrayBuffer>;
  readonly #runtime: Uint8Array<ArrayBuffer>;
  #begun = 0;

  /** `epoll`: what connections wait in. */
  constructor(epoll: number) {
    const runtime = runtimeEpoll(epoll);
    this.#waiting = polled([epoll, ...runtime]);
    this.#runtime = polled(runtime);
  }

  /** Whether the turn may go on. */
  get hasTime(): boolean {
    const time = performance.now() - this.#begun;
    return time < LEAST_MS || time < MOST_MS && !this.#isAwaited;
  }

  /** Begins a turn, as another thread has waited meanwhile. */
  begin(): void {
    this.#begun = performance.now();
  }

  /** Gives the rest of the program its turn, and begins another one. */
  async giveWay(): Promise<void> {
    const end = performance.now() + REST_MS;
    do {
      await this.#library.symbols.rest(this.#runtime, 0n, 0);
    } while (this.#isAwaited && performance.now() < end);
    this.begin();
  }

  /** Waits a moment for connections; less, where the rest of the program can go on, or where that is not known. */
  async wait(): Promise<void> {
    if (this.#runtime.length === 0) return;
    for (let steps = 0; steps < STEPS; steps++) await undefined;
    this.#poll(this.#waiting, SOON_MS);
    if (!this.#isAwaited) this.begin();
  }

  [Symbol.dispose](): void {
    this.#library[Symbol.dispose]();
  }

  /** The rest of the program can go on. */
  get #isAwaited(): boolean {
    return this.#poll(this.#runtime, 0) > 0;
  }

  #poll(descriptors: Uint8Array<ArrayBuffer>, milliseconds: number): number {
    return this.#library.symbols.poll(descriptors, BigInt(descriptors.length / POLLED_BYTES), milliseconds);
  }
}

/** What the runtime waits in, which is the first of this process; empty: it is not known. */
function runtimeEpoll(own: number): readonly number[] {
  const found = withLibc((libc) => libc.descriptorsOf("self"));
  return [...found].filter(([descriptor, what]) => what === "anon_inode:[eventpoll]" && descriptor !== own)
    .map(([descriptor]) => descriptor).slice(0, 1);
}

/** Descriptors to wait for until they can be read. */
function polled(descriptors: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(POLLED_BYTES * descriptors.length);
  const view = new DataView(bytes.buffer);
  for (const [at, descriptor] of descriptors.entries()) {
    view.setInt32(POLLED_BYTES * at, descriptor, LITTLE_ENDIAN);
    view.setInt16(POLLED_BYTES * at + 4, POLLIN, LITTLE_ENDIAN);
  }
  return bytes;
}
