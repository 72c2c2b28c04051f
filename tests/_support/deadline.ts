/**
 * How much slower a busy machine may be than a quiet one. No test depends on speed: a time limit only ends what would
 * hang, and each caller gives the limit for a quiet machine.
 */
const BUSY_FACTOR = 10;

/**
 * Rejects with the awaited thing if `promise` has not settled long after `milliseconds`. The promise itself continues.
 */
export async function withDeadline<Value>(promise: Promise<Value>, milliseconds: number, what: string): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const limit = BUSY_FACTOR * milliseconds;
  const timer = setTimeout(() => reject(new Error(`Waited ${limit} ms in vain for ${what}`)), limit);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds between two checks: short at first, then longer, because a check may start programs. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [5, 100];

/**
 * Repeats `look` until it returns a value other than undefined or false. Use it only where there is no event to wait
 * for: processes that are not our children, and files that they write.
 */
export async function until<Value>(
  look: () => Value | undefined | false | Promise<Value | undefined | false>,
  milliseconds: number,
  what: string,
): Promise<Value> {
  const limit = BUSY_FACTOR * milliseconds;
  const end = performance.now() + limit;
  for (let pause = FIRST_PAUSE;; pause = Math.min(pause * 1.5, LONGEST_PAUSE)) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > end) throw new Error(`Waited ${limit} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
