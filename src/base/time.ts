/** Waiting with a limit. No timer is left behind. */

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

/** Resolves when `signal` aborts; without one, never. */
export async function aborted(signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal?.addEventListener("abort", () => resolve(), { once: true });
  if (signal?.aborted === true) resolve();
  await promise;
}
