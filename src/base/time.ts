/** Timers, waits with a limit that leave none behind, and durations as words. */

/**
 * Waits `ms` milliseconds, or until `signal` aborts. 0: until the next turn of the event loop.
 *
 * @returns false when the signal aborted
 */
export async function delay(ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return false;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = () => resolve();
  signal?.addEventListener("abort", onAbort, { once: true });
  await promise;
  clearTimeout(timer);
  signal?.removeEventListener("abort", onAbort);
  return !(signal?.aborted ?? false);
}

/** The value of `promise`; undefined where it takes longer than `ms` milliseconds. Rejects as `promise` does before that. */
export async function withTimeout<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(undefined), ms);
  try {
    return await Promise.race([promise, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** How many timers are signals. */
const FIRST = 2;

/**
 * Timers that may be taken back. The runtime's own take 4 ms at their first use, which a first call would wait for. The
 * first two are signals, which take 0.1 ms and stay until their time.
 */
export class Timers {
  #started = 0;

  /** Returns what takes the timer back. */
  start(ms: number, action: () => void): () => void {
    if (++this.#started > FIRST) {
      const timer = setTimeout(action, ms);
      return () => clearTimeout(timer);
    }
    const signal = AbortSignal.timeout(ms);
    signal.addEventListener("abort", action, { once: true });
    return () => signal.removeEventListener("abort", action);
  }
}

/** Resolves when `signal` aborts; without one, never. */
export async function aborted(signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal?.addEventListener("abort", () => resolve(), { once: true });
  if (signal?.aborted === true) resolve();
  await promise;
}

/** `12 ms`, `1.3 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
