import { openCLibrary } from "../../../src/system/c_library.ts";

/** Of the thread that asks (linux/time.h). */
const CLOCK_THREAD_CPUTIME_ID = 3;

/** The processor time of a thread, milliseconds; other load of the machine does not count. */
export class ThreadTime {
  readonly #library = openCLibrary({ clock_gettime: { parameters: ["i32", "buffer"], result: "i32" } });
  readonly #time = new BigInt64Array(2);

  now(): number {
    this.#library.symbols.clock_gettime(CLOCK_THREAD_CPUTIME_ID, this.#time);
    const [seconds = 0n, nanoseconds = 0n] = this.#time;
    return Number(seconds) * 1000 + Number(nanoseconds) / 1e6;
  }
}
