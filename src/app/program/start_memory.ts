/**
 * Gives back the memory that only the start needed, once nothing runs (N3, N5): 6 of 62 MiB of an idle server, 5 of 26 MB
 * of an isolated session, and 70 of 112 MB of the server in front of them. It takes 35 ms of processor time, once.
 */
import type { Unsubscribe } from "../../base/emitter.ts";
import { attempt } from "../../base/errors.ts";
import { LazyLibrary } from "../../system/c_library.ts";

/** By then a client's first calls, which it would delay, are answered, and the sandbox is tested (N3). */
const AFTER_MS = 1_500;
/** The option of the engine that makes `gc`. */
export const GIVES_BACK = "--expose-gc";

/** Calls, which giving back would delay. */
interface Calls {
  readonly runningCount: number;
  /** Calls the listener at each end of one, and at other times. */
  subscribe(listener: () => void): Unsubscribe;
}

export class StartMemory implements Disposable {
  readonly #calls: Calls | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #leave: Unsubscribe | undefined;

  /** Absent `calls`: the process runs none. */
  constructor(calls?: Calls) {
    this.#calls = calls;
  }

  /** Gives back after this time, or the same time after the end of what runs then. */
  begin(afterMs = AFTER_MS): void {
    this.#timer = setTimeout(() => this.#giveBack(afterMs), afterMs);
    Deno.unrefTimer(this.#timer);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#leave?.();
  }

  #giveBack(afterMs: number): void {
    const calls = this.#calls;
    if (calls === undefined || calls.runningCount === 0) return giveBack();
    this.#leave = calls.subscribe(() => {
      if (calls.runningCount > 0) return;
      this.#leave?.();
      this.begin(afterMs);
    });
  }
}

/** Gives back what can be: the engine moves its objects together, and the C library frees pages between its own. */
function giveBack(): void {
  const collect: unknown = Reflect.get(globalThis, "gc");
  if (typeof collect === "function") collect({ type: "major", execution: "sync", flavor: "last-resort" });
  const library = new LazyLibrary(["malloc_trim"]);
  attempt(Error, () => library.symbols.malloc_trim(0n)); // musl has no such function
  library[Symbol.dispose]();
}
