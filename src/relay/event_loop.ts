/** Waits for many descriptors at once (epoll(7)), off the thread that the program runs on. */
import { LazyLibrary, LITTLE_ENDIAN } from "../system/c_library.ts";
import { O_CLOEXEC } from "../system/syscalls.ts";

const LIBRARY = {
  epoll_create1: { parameters: ["i32"], result: "i32" },
  epoll_ctl: { parameters: ["i32", "i32", "i32", "buffer"], result: "i32" },
  epoll_wait: { parameters: ["i32", "buffer", "i32", "i32"], result: "i32", nonblocking: true },
  /** The same call where it waits for nothing. */
  epoll_now: { name: "epoll_wait", parameters: ["i32", "buffer", "i32", "i32"], result: "i32" },
  eventfd: { parameters: ["u32", "i32"], result: "i32" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
} as const;

const EPOLL_CTL_ADD = 1;
const EPOLL_CTL_DEL = 2;
const EPOLLIN = 1;
const EPOLLOUT = 4;
const EPOLLERR = 8;
const EPOLLHUP = 0x10;
const EPOLLRDHUP = 0x2000;
const EPOLLET = 0x8000_0000;
/** `struct epoll_event` is packed on x86_64 alone. */
const [EVENT_BYTES, DATA_AT] = Deno.build.arch === "x86_64" ? [12, 4] as const : [16, 8] as const;
const MOST_EVENTS = 256;

/** What became possible since it was told last; both where the connection has ended. */
export interface Possible {
  readonly read: boolean;
  readonly write: boolean;
}

/** Hears of each change once: what can be read or written must be, until the kernel says "blocked". */
export type OnPossible = (possible: Possible) => void;

export class EventLoop {
  readonly #library = new LazyLibrary(LIBRARY);
  readonly #epoll: number;
  readonly #wake: number;
  readonly #listeners = new Map<number, OnPossible>();
  /** What is not finished, although the kernel has nothing new to tell of it. */
  #again = new Set<() => void>();
  #running: Promise<void> | undefined;
  #isClosed = false;

  readonly #onFailure: (thrown: unknown) => void;

  /** `onFailure`: a listener has thrown, and nothing is told any more. @throws {Error} When the system gives no more descriptors. */
  constructor(onFailure: (thrown: unknown) => void) {
    this.#onFailure = onFailure;
    const { epoll_create1, eventfd } = this.#library.symbols;
    this.#epoll = epoll_create1(O_CLOEXEC);
    this.#wake = eventfd(0, O_CLOEXEC | NONBLOCK);
    if (this.#epoll < 0 || this.#wake < 0) throw new Error("The system gives no descriptor to wait for connections");
    this.#control(EPOLL_CTL_ADD, this.#wake, EPOLLIN);
  }

  /** Hears of a descriptor until it is removed, which must be before it is closed. @throws {Error} When the system refuses. */
  add(descriptor: number, listener: OnPossible): void {
    if (this.#control(EPOLL_CTL_ADD, descriptor, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET) !== 0) {
      throw new Error("The system waits for no further connection");
    }
    this.#listeners.set(descriptor, listener);
    this.#running ??= this.#run().catch(this.#onFailure);
  }

  remove(descriptor: number): void {
    if (this.#listeners.delete(descriptor)) this.#control(EPOLL_CTL_DEL, descriptor, 0);
  }

  /** Runs `work` in the next turn, after others had theirs. */
  again(work: () => void): void {
    this.#again.add(work);
  }

  /** Settles when nothing is waited for any more. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#library.symbols.write(this.#wake, new BigUint64Array([1n]), 8n);
    await this.#running;
    for (const descriptor of [this.#epoll, this.#wake]) this.#library.symbols.close(descriptor);
    this.#library[Symbol.dispose]();
  }

  async #run(): Promise<void> {
    const { epoll_wait, epoll_now } = this.#library.symbols;
    const events = new Uint8Array(MOST_EVENTS * EVENT_BYTES);
    const view = new DataView(events.buffer);
    let until = 0;
    const rest = async () => {
      if (performance.now() < until) return;
      await new Promise((resolve) => setTimeout(resolve));
      until = performance.now() + TURN_MS;
    };
    while (!this.#isClosed) {
      // What became possible meanwhile is asked for at once: the way by another thread takes longer than most of it.
      const hasTime = performance.now() < until;
      let count = hasTime ? epoll_now(this.#epoll, events, MOST_EVENTS, 0) : 0;
      if (!hasTime || count === 0 && this.#again.size === 0) {
        count = await epoll_wait(this.#epoll, events, MOST_EVENTS, this.#again.size > 0 ? 0 : -1);
        until = performance.now() + TURN_MS;
      }
      if (this.#isClosed) return;
      const unfinished = this.#again;
      this.#again = new Set();
      for (let at = 0; at < count * EVENT_BYTES; at += EVENT_BYTES) {
        const bits = view.getUint32(at, LITTLE_ENDIAN);
        const isOver = (bits & (EPOLLERR | EPOLLHUP)) !== 0;
        this.#listeners.get(view.getInt32(at + DATA_AT, LITTLE_ENDIAN))?.({
          read: isOver || (bits & (EPOLLIN | EPOLLRDHUP)) !== 0,
          write: isOver || (bits & EPOLLOUT) !== 0,
        });
        await rest();
      }
      for (const work of unfinished) {
        work();
        await rest();
      }
    }
  }

  #control(operation: number, descriptor: number, bits: number): number {
    const event = new Uint8Array(EVENT_BYTES);
    const view = new DataView(event.buffer);
    view.setUint32(0, bits, LITTLE_ENDIAN);
    view.setInt32(DATA_AT, descriptor, LITTLE_ENDIAN);
    return this.#library.symbols.epoll_ctl(this.#epoll, operation, descriptor, event);
  }
}

/** So long everything else of the program waits at most, milliseconds. */
const TURN_MS = 5;
/** O_NONBLOCK */
const NONBLOCK = 0x800;
