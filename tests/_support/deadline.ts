/**
 * A machine that is busy with other things may be so many times slower than one that is not. No test depends on it: a
 * limit of time only ends what would hang, and each caller names the one for a machine of its own.
 */
const BUSY_FACTOR = 10;

/**
 * Fails with what was awaited when `promise` has not settled long after `milliseconds`. The promise itself goes on.
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

/** Milliseconds between two looks: soon at first, then seldom, since a look may start programs. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [5, 100];

/**
 * Looks again and again until `look` gives a value other than undefined or false.
 * Only for what has no event to wait for: processes that are not our children, files written by them.
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
