/**
 * Changes in directories, reported by the Linux kernel (inotify(7)).
 *
 * `Deno.watchFs` is not used because it opens every path of an event, and opening a pipe waits for a writer. One
 * `mkfifo` in a watched directory would end its events for good and block the program at the close of the watch.
 */
import { POLLIN } from "./syscalls.ts";
import { nameText } from "../base/bytes.ts";
import { encodeText, words } from "../base/text.ts";
import { LazyLibrary, LITTLE_ENDIAN } from "./c_library.ts";

/** The inotify functions of the C library. */
export const INOTIFY = words("inotify_init1 inotify_add_watch inotify_rm_watch read close");

const SYMBOLS = [...INOTIFY, ...words("eventfd pollLater write")];

/** O_NONBLOCK | O_CLOEXEC, which are IN_NONBLOCK | IN_CLOEXEC and EFD_NONBLOCK | EFD_CLOEXEC too. */
export const NONBLOCK_CLOEXEC = 0x80800;
/** modify, attrib, close_write, moved_from, moved_to, create, delete, delete_self, move_self (linux/inotify.h). */
const CHANGES = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800;
export const IN_Q_OVERFLOW = 0x4000;
/** The watch ended because the file or its file system is gone. */
export const IN_IGNORED = 0x8000;
const IN_ONLYDIR = 0x1000000;
/** `struct inotify_event`: wd, mask, cookie, len, then `len` bytes of name. */
const EVENT_BYTES = 16;
const BATCH_BYTES = 65_536;
/** Pause between two batches, milliseconds, to cost little. The kernel reports overflow as one event. */
export const PAUSE_MS = 20;

/**
 * Listener for changes in one directory. It receives the names of the entries, empty for the directory itself; undefined:
 * anything. After `isOver` the directory is gone, though another may have its name and inode by now.
 */
export type NamesListener = (names: readonly string[] | undefined, isOver: boolean) => void;

/** One inotify instance. */
export class Inotify implements AsyncDisposable {
  readonly #library = new LazyLibrary(SYMBOLS);
  readonly #descriptor: number;
  readonly #wake: number;
  readonly #listeners = new Map<number, Set<NamesListener>>();
  readonly #buffer = new Uint8Array(BATCH_BYTES);
  readonly #following: Promise<void>;
  #pause: { readonly timer: ReturnType<typeof setTimeout>; readonly end: () => void } | undefined;
  #closed = false;

  /** @throws Error when the C library or the kernel refuses, for example at the system's limit of instances. */
  constructor() {
    const { inotify_init1, eventfd, close } = this.#library.symbols;
    this.#descriptor = inotify_init1(NONBLOCK_CLOEXEC);
    this.#wake = eventfd(0, NONBLOCK_CLOEXEC);
    if (this.#descriptor < 0 || this.#wake < 0) {
      for (const one of [this.#descriptor, this.#wake]) if (one >= 0) close(one);
      this.#library[Symbol.dispose]();
      throw new Error("The system gives no inotify instance (see fs.inotify.max_user_instances)");
    }
    this.#following = this.#follow();
  }

  /** Watches until disposed of. @throws Error when it is no readable directory, or there are too many watches. */
  watch(directory: string, hear: NamesListener): Disposable {
    const { inotify_add_watch, inotify_rm_watch } = this.#library.symbols;
    const path = encodeText(`${directory}\0`);
    const watch = inotify_add_watch(this.#descriptor, path, CHANGES | IN_ONLYDIR);
    if (watch < 0) throw new Error("The system does not watch it (see fs.inotify.max_user_watches)");
    // A directory with two names has one watch descriptor.
    const listeners = this.#listeners.get(watch) ?? new Set();
    this.#listeners.set(watch, listeners.add(hear));
    return {
      [Symbol.dispose]: () => {
        listeners.delete(hear);
        if (this.#closed || listeners.size > 0 || !this.#listeners.delete(watch)) return;
        inotify_rm_watch(this.#descriptor, watch);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#library.symbols.write(this.#wake, new BigUint64Array([1n]), 8n);
      clearTimeout(this.#pause?.timer);
      this.#pause?.end();
    }
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { pollLater, close } = this.#library.symbols;
    // Two `struct pollfd`: descriptor, then events and the place for what happened.
    const descriptors = new Int32Array([this.#descriptor, POLLIN, this.#wake, POLLIN]);
    while (!this.#closed) {
      await pollLater(descriptors, 2n, -1);
      if (this.#closed) break;
      this.#tell();
      await this.#rest();
    }
    close(this.#descriptor);
    close(this.#wake);
    this.#library[Symbol.dispose]();
  }

  async #rest(): Promise<void> {
    if (this.#closed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pause = { timer: setTimeout(resolve, PAUSE_MS), end: resolve };
    await promise;
  }

  /** Reads one batch and tells each listener once. */
  #tell(): void {
    const length = Number(this.#library.symbols.read(this.#descriptor, this.#buffer, BigInt(BATCH_BYTES)));
    const names = new Map<number, Set<string>>();
    const over = new Set<number>();
    for (const { watch, mask, name } of eventsIn(this.#buffer.subarray(0, Math.max(0, length)))) {
      const isLost = (mask & IN_Q_OVERFLOW) !== 0;
      if (isLost) {
        for (const hear of [...this.#listeners.values()].flatMap((some) => [...some])) hear(undefined, isLost);
        return;
      }
      if ((mask & IN_IGNORED) !== 0) over.add(watch);
      const known = names.get(watch) ?? new Set();
      names.set(watch, known.add(name));
    }
    for (const [watch, changed] of names) {
      for (const hear of [...this.#listeners.get(watch) ?? []]) hear([...changed], over.has(watch));
    }
  }
}

/** One event; `name` is empty if it is about the watched file or directory itself. */
export interface Event {
  readonly watch: number;
  readonly mask: number;
  readonly name: string;
}

/** What was read from an inotify instance. */
export function eventsIn(bytes: Uint8Array): readonly Event[] {
  const events: Event[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at + EVENT_BYTES <= bytes.length;) {
    const [watch, mask] = [view.getInt32(at, LITTLE_ENDIAN), view.getUint32(at + 4, LITTLE_ENDIAN)];
    const start = at + EVENT_BYTES;
    at = start + view.getUint32(at + 12, LITTLE_ENDIAN);
    const padded = bytes.subarray(start, at);
    const end = padded.indexOf(0);
    events.push({ watch, mask, name: nameText(end < 0 ? padded : padded.subarray(0, end)) });
  }
  return events;
}
