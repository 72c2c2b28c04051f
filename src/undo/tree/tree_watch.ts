/** Notices what changes in the directories of a tree (inotify(7)): one call says that nothing did. */
import { encodeText } from "../../base/text.ts";
import { LazyLibrary } from "../../system/c_library.ts";
import { type Event, eventsIn, IN_IGNORED, IN_Q_OVERFLOW, INOTIFY, NONBLOCK_CLOEXEC } from "../../system/inotify.ts";

/** What may have changed since the last time. */
export interface Noticed {
  /** Single paths. */
  readonly names: Set<string>;
  /** Directories with all their contents. */
  readonly trees: Set<string>;
}

/**
 * modify, attrib, close_write, moved_from, moved_to, create, delete, delete_self, move_self; only directories. The
 * third also comes at the end of a writable mapping, whose single writes raise no event.
 */
const CHANGES = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800 | 0x0100_0000;
const APPEARED = 0x80 | 0x100;
const IN_ISDIR = 0x4000_0000;
const BATCH_BYTES = 262_144;
/** More than the system queues: later events wait for the next call, however fast they come. */
const MOST_READS = 64;

export class TreeWatch implements Disposable {
  readonly #library = new LazyLibrary(INOTIFY);
  readonly #buffer = new Uint8Array(BATCH_BYTES);
  readonly #paths = new Map<number, string>();
  #descriptor = -1;
  #isLost = true;

  /** Whether changes were missed, so that only a full scan shows what changed. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Forgets all directories; they must be added again. */
  begin(): void {
    const { inotify_init1, close } = this.#library.symbols;
    if (this.#descriptor >= 0) close(this.#descriptor);
    this.#paths.clear();
    this.#descriptor = inotify_init1(NONBLOCK_CLOEXEC);
    this.#isLost = this.#descriptor < 0;
  }

  /** Watches an open directory, before it is listed. Beyond the system's limit of watches, the watch counts as lost. */
  add(path: string, fd: number): void {
    if (this.#isLost) return;
    const { inotify_add_watch } = this.#library.symbols;
    // By its descriptor: a link in its place would lead elsewhere.
    const number = inotify_add_watch(this.#descriptor, encodeText(`/proc/self/fd/${fd}\0`), CHANGES);
    if (number < 0) this.#isLost = true;
    else this.#paths.set(number, path);
  }

  /** What was noticed since the last call; undefined: the watch is lost. */
  take(): Noticed | undefined {
    const noticed = { names: new Set<string>(), trees: new Set<string>() };
    for (let reads = 0; !this.#isLost && reads < MOST_READS; reads++) {
      const length = Number(this.#library.symbols.read(this.#descriptor, this.#buffer, BigInt(BATCH_BYTES)));
      if (length <= 0) return noticed;
      for (const event of eventsIn(this.#buffer.subarray(0, length))) this.#note(noticed, event);
    }
    return this.#isLost ? undefined : noticed;
  }

  [Symbol.dispose](): void {
    if (this.#descriptor >= 0) this.#library.symbols.close(this.#descriptor);
    this.#library[Symbol.dispose]();
  }

  #note({ names, trees }: Noticed, { watch, mask, name }: Event): void {
    if ((mask & IN_Q_OVERFLOW) !== 0) this.#isLost = true;
    const directory = this.#paths.get(watch);
    if (directory === undefined) return;
    if ((mask & IN_IGNORED) !== 0) return void this.#paths.delete(watch);
    const path = name === "" ? directory : `${directory}/${name}`;
    if ((mask & IN_ISDIR) !== 0 && (mask & APPEARED) !== 0) trees.add(path);
    else names.add(path);
    names.add(directory);
  }
}
