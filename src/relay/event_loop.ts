/** Waits for many descriptors at once (epoll(7)), off the thread that the program runs on. */
import { words } from "../base/text.ts";
import { LazyLibrary, LITTLE_ENDIAN } from "../system/c_library.ts";
import { O_CLOEXEC } from "../system/syscalls.ts";
import { ThreadShare } from "./thread_share.ts";

const LIBRARY = words("epoll_create1 epoll_ctl epoll_wait epoll_now eventfd write close");

const EPOLL_CTL_ADD = 1;
const EPOLL_CTL_DEL = 2;
const EPOLLIN = 1;
const EPOLLOUT = 4;
const EPOLLERR = 8;
const EPOLLHUP = 0x10;
const EPOLLRDHUP = 0x2000;
const EPOLLET = 0x8000_0000;
/** `struct epoll_event` is packed only on x86_64. */
const [EVENT_BYTES, DATA_AT] = Deno.build.arch === "x86_64" ? [12, 4] as const : [16, 8] as const;
const MOST_EVENTS = 256;

/** What a descriptor became ready for since the last call; both, if its connection has ended. */
export interface Possible {
  readonly read: boolean;
  readonly write: boolean;
}

/** Called once for each change (edge-triggered): it must read or write until the kernel answers "blocked". */
export type OnPossible = (possible: Possible) => void;

export interface EventLoopOptions {
  /** Called with what a listener threw; the loop has then ended. */
  readonly onFailure: (thrown: unknown) => void;
  /** The time until work of `later` is due, milliseconds. */
  readonly patience: number;
}

/** Work that runs at a given time, unless it is dropped before. */
export interface Deadline {
  /** Of performance.now(), milliseconds. */
  readonly at: number;
  readonly work: () => void;
}

export class EventLoop {
  readonly #library = new LazyLibrary(LIBRARY);
  readonly #epoll: number;
  readonly #wake: number;
  readonly #event = new Uint8Array(EVENT_BYTES);
  readonly #listeners = new Map<number, OnPossible>();
  /** Work that continues in the next turn without a new kernel event. */
  #again = new Set<() => void>();
  /** Ordered by time. */
  readonly #deadlines = new Set<Deadline>();
  readonly #thread: ThreadShare;
  /** A wait on another thread is in progress, with the timeout of the deadlines that it began with. */
  #isWaiting = false;
  #running: Promise<void> | undefined;
  #isClosed = false;

  readonly #options: EventLoopOptions;

  /** @throws {Error} When the system gives no more descriptors. */
  constructor(options: EventLoopOptions) {
    this.#options = options;
    const { epoll_create1, eventfd } = this.#library.symbols;
    this.#epoll = epoll_create1(O_CLOEXEC);
    this.#wake = eventfd(0, O_CLOEXEC | NONBLOCK);
    if (this.#epoll < 0 || this.#wake < 0) throw new Error("The system gives no descriptor to wait for connections");
    this.#control(EPOLL_CTL_ADD, this.#wake, EPOLLIN | EPOLLET);
    this.#thread = new ThreadShare(this.#epoll);
  }

  /** Watches a descriptor until `remove`, before it is closed. @throws {Error} When the system refuses. */
  add(descriptor: number, listener: OnPossible): void {
    this.#add(descriptor, listener, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
  }

  /** Watches a listening socket: called as long as a connection waits (level-triggered). */
  addListener(descriptor: number, listener: () => void): void {
    this.#add(descriptor, listener, EPOLLIN);
  }

  remove(descriptor: number): void {
    if (this.#listeners.delete(descriptor)) this.#control(EPOLL_CTL_DEL, descriptor, 0);
  }

  /** Runs `work` in the next turn, after others had theirs. */
  again(work: () => void): void {
    this.#again.add(work);
  }

  /** Runs `work` after the time, by the wait for descriptors: a timer would cost each connection 0.05 ms. */
  later(work: () => void): Deadline {
    const deadline = { at: performance.now() + this.#options.patience, work };
    this.#deadlines.add(deadline);
    if (this.#isWaiting && this.#deadlines.size === 1) this.#interrupt();
    return deadline;
  }

  drop(deadline: Deadline): void {
    this.#deadlines.delete(deadline);
  }

  /** Settles when the last wait has ended. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#interrupt();
    await this.#running;
    for (const descriptor of [this.#epoll, this.#wake]) this.#library.symbols.close(descriptor);
    this.#thread[Symbol.dispose]();
    this.#library[Symbol.dispose]();
  }

  async #run(): Promise<void> {
    const events = new Uint8Array(MOST_EVENTS * EVENT_BYTES);
    const view = new DataView(events.buffer);
    let livelyUntil = 0;
    for (;;) {
      await this.#takeTurns();
      const count = await this.#possible(events, performance.now() < livelyUntil);
      if (this.#isClosed) return;
      if (count > 0) livelyUntil = performance.now() + LIVELY_MS;
      const unfinished = this.#again;
      this.#again = new Set();
      for (let at = 0; at < count * EVENT_BYTES; at += EVENT_BYTES) {
        await this.#takeTurns();
        this.#tell(view.getUint32(at, LITTLE_ENDIAN), view.getInt32(at + DATA_AT, LITTLE_ENDIAN));
      }
      for (const work of unfinished) {
        await this.#takeTurns();
        work();
      }
      this.#meetDeadlines();
    }
  }

  /** Waits for events, and returns how many there are; zero if the rest of the program needs the thread. */
  async #possible(events: Uint8Array<ArrayBuffer>, isLively: boolean): Promise<number> {
    const count = this.#possibleNow(events);
    if (count > 0 || this.#again.size > 0) return count;
    if (isLively) {
      await this.#thread.wait();
      const soon = this.#possibleNow(events);
      if (soon > 0) return soon;
    }
    return await this.#possibleLater(events, isLively ? 0 : this.#dueIn());
  }

  /** Called before each event, which may take a while; undefined: the turn continues. */
  #takeTurns(): Promise<void> | undefined {
    return this.#thread.hasTime ? undefined : this.#thread.giveWay();
  }

  #tell(bits: number, descriptor: number): void {
    const isOver = (bits & (EPOLLERR | EPOLLHUP)) !== 0;
    this.#listeners.get(descriptor)?.({
      read: isOver || (bits & (EPOLLIN | EPOLLRDHUP)) !== 0,
      write: isOver || (bits & EPOLLOUT) !== 0,
    });
  }

  /** The events that there are now, without a wait: another thread would take longer than most events do. */
  #possibleNow(events: Uint8Array<ArrayBuffer>): number {
    return this.#library.symbols.epoll_now(this.#epoll, events, MOST_EVENTS, 0);
  }

  /** Waits on another thread, while this one runs the rest of the program. */
  async #possibleLater(events: Uint8Array<ArrayBuffer>, milliseconds: number): Promise<number> {
    this.#isWaiting = true;
    const count = await this.#library.symbols.epoll_wait(this.#epoll, events, MOST_EVENTS, milliseconds);
    this.#isWaiting = false;
    this.#thread.begin();
    return count;
  }

  /** Milliseconds until the first deadline; -1: there is none. */
  #dueIn(): number {
    const [first] = this.#deadlines;
    return first === undefined ? -1 : Math.max(0, Math.ceil(first.at - performance.now()));
  }

  #meetDeadlines(): void {
    for (const deadline of this.#deadlines) {
      if (deadline.at > performance.now()) return;
      this.#deadlines.delete(deadline);
      deadline.work();
    }
  }

  #interrupt(): void {
    this.#library.symbols.write(this.#wake, new BigUint64Array([1n]), 8n);
  }

  #add(descriptor: number, listener: OnPossible, bits: number): void {
    if (this.#control(EPOLL_CTL_ADD, descriptor, bits) !== 0) {
      throw new Error("The system waits for no further connection");
    }
    this.#listeners.set(descriptor, listener);
    this.#running ??= this.#run().catch(this.#options.onFailure);
  }

  #control(operation: number, descriptor: number, bits: number): number {
    const event = this.#event;
    const view = new DataView(event.buffer);
    view.setUint32(0, bits, LITTLE_ENDIAN);
    view.setInt32(DATA_AT, descriptor, LITTLE_ENDIAN);
    return this.#library.symbols.epoll_ctl(this.#epoll, operation, descriptor, event);
  }
}

/** How long after an event the next one is expected soon, milliseconds: the wait stays on this thread. */
const LIVELY_MS = 20;
/** O_NONBLOCK */
const NONBLOCK = 0x800;
