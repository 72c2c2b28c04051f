/**
 * Shares the program's one thread between the relay and everything else. The relay works in turns, and gives the thread
 * back between them. It waits for the kernel on this thread if it can, because a wait on another one ends 0.1 ms late.
 */
import { words } from "../base/text.ts";
import { LazyLibrary, LITTLE_ENDIAN } from "../system/c_library.ts";
import { withLibc } from "../system/libc.ts";

const LIBRARY = words("poll pollLater");

/** `struct pollfd`. */
const POLLED_BYTES = 8;
const POLLIN = 1;
/** The longest turn of the relay, milliseconds, while the runtime has no event. */
const MOST_MS = 5;
/** The shortest turn of the relay, milliseconds, even if the runtime has events. */
const LEAST_MS = 1;
/** The longest turn of the rest of the program, milliseconds. */
const REST_MS = 5;
/** The longest wait on this thread, milliseconds. Timers of the runtime run late by this. */
const SOON_MS = 1;
/** Microtasks that may run before a wait, so that ready work is not delayed by it. */
const STEPS = 16;

export class ThreadShare implements Disposable {
  readonly #library = new LazyLibrary(LIBRARY);
  /** `struct pollfd` of the relay's epoll, then of the runtime's if that is known. */
  readonly #waiting: Uint8Array<ArrayBuffer>;
  /** The same of the runtime's epoll alone; empty: it is not known. */
  readonly #runtime: Uint8Array<ArrayBuffer>;
  #begun = 0;

  /** `epoll`: the relay's own. */
  constructor(epoll: number) {
    const runtime = runtimeEpoll(epoll);
    this.#waiting = polled([epoll, ...runtime]);
    this.#runtime = polled(runtime);
  }

  /** Whether the relay's turn may continue. */
  get hasTime(): boolean {
    const time = performance.now() - this.#begun;
    return time < LEAST_MS || time < MOST_MS && !this.#isAwaited;
  }

  /** Begins a turn of the relay. */
  begin(): void {
    this.#begun = performance.now();
  }

  /** Gives the thread to the rest of the program, then begins the relay's next turn. */
  async giveWay(): Promise<void> {
    const end = performance.now() + REST_MS;
    do {
      await this.#library.symbols.pollLater(this.#runtime, 0n, 0);
    } while (this.#isAwaited && performance.now() < end);
    this.begin();
  }

  /** Waits up to 1 ms for an event of the relay or the runtime; not at all if the runtime's epoll is not known. */
  async wait(): Promise<void> {
    if (this.#runtime.length === 0) return;
    for (let steps = 0; steps < STEPS; steps++) await undefined;
    this.#poll(this.#waiting, SOON_MS);
    if (!this.#isAwaited) this.begin();
  }

  [Symbol.dispose](): void {
    this.#library[Symbol.dispose]();
  }

  /** Whether the runtime has an event to handle. */
  get #isAwaited(): boolean {
    return this.#poll(this.#runtime, 0) > 0;
  }

  #poll(descriptors: Uint8Array<ArrayBuffer>, milliseconds: number): number {
    return this.#library.symbols.poll(descriptors, BigInt(descriptors.length / POLLED_BYTES), milliseconds);
  }
}

/** The runtime's epoll descriptor, which is the first that this process has opened; empty: none was found. */
function runtimeEpoll(own: number): readonly number[] {
  const found = withLibc((libc) => libc.descriptorsOf("self"));
  return [...found].filter(([descriptor, what]) => what === "anon_inode:[eventpoll]" && descriptor !== own)
    .map(([descriptor]) => descriptor).slice(0, 1);
}

/** `struct pollfd` for each descriptor, to wait until it can be read. */
function polled(descriptors: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(POLLED_BYTES * descriptors.length);
  const view = new DataView(bytes.buffer);
  for (const [at, descriptor] of descriptors.entries()) {
    view.setInt32(POLLED_BYTES * at, descriptor, LITTLE_ENDIAN);
    view.setInt16(POLLED_BYTES * at + 4, POLLIN, LITTLE_ENDIAN);
  }
  return bytes;
}
