/** Timers of tests, which depend on no clock. */

/** Fires timers of exactly `ms` at once, as if that time had passed; all others wait as usual. */
export function skipping(ms: number): Disposable {
  return exchanging(ms, 0);
}

/** Delays timers of exactly `ms` beyond the end of any test, as if that time did not pass; all others wait as usual. */
export function stopping(ms: number): Disposable {
  return exchanging(ms, 24 * 3600 * 1000);
}

function exchanging(ms: number, instead: number): Disposable {
  const { setTimeout: original } = globalThis;
  const { timeout } = AbortSignal;
  const delayOf = (delay?: number) => delay === ms ? instead : delay;
  globalThis.setTimeout =
    ((action: () => void, delay?: number) => original(action, delayOf(delay))) as typeof setTimeout;
  // The first `Timers` are signals.
  AbortSignal.timeout = (delay) => timeout.call(AbortSignal, delayOf(delay) ?? 0);
  return {
    [Symbol.dispose]() {
      globalThis.setTimeout = original;
      AbortSignal.timeout = timeout;
    },
  };
}

/** Holds back the next timer of exactly `ms` milliseconds, and returns its callback. */
export function heldTimer(ms: number): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<() => void>();
  const { setTimeout: original } = globalThis;
  const held = (action: () => void, delay?: number) => {
    if (delay !== ms) return original(action, delay);
    Object.assign(globalThis, { setTimeout: original });
    resolve(action);
    return undefined;
  };
  Object.assign(globalThis, { setTimeout: held });
  return promise;
}

/** Freezes `performance.now()`. */
export function stoppedClock(): Disposable {
  const now = performance.now();
  Object.defineProperty(performance, "now", { value: () => now, configurable: true });
  return { [Symbol.dispose]: () => void Reflect.deleteProperty(performance, "now") };
}
