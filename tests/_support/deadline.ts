/** Fails with what was awaited when `promise` has not settled after `milliseconds`. The promise itself goes on. */
export async function withDeadline<Value>(promise: Promise<Value>, milliseconds: number, what: string): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`Waited ${milliseconds} ms in vain for ${what}`)),
    milliseconds,
  );
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
  const end = performance.now() + milliseconds;
  for (let pause = FIRST_PAUSE;; pause = Math.min(pause * 1.5, LONGEST_PAUSE)) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > end) throw new Error(`Waited ${milliseconds} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
