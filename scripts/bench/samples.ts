/** What is said about a series of measurements; all in the unit of the samples. */
export interface Summary {
  readonly count: number;
  readonly p50: number;
  /** The value at 99 %; of fewer than 100 samples the greatest. */
  readonly p99: number;
}

/** Milliseconds that a work takes. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** The same of each turn. */
export async function timesOf(turns: number, work: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn++) times.push(await timeOf(work));
  return times;
}

/** How much more it is than its floor. */
export function more({ p50, ratio }: { readonly p50: number; readonly ratio: number }): number {
  return p50 - p50 / ratio;
}

/**
 * Sorts and reads off the middle and the end, without averaging or dropping anything.
 * @throws RangeError for an empty series.
 */
export function summarize(samples: readonly number[]): Summary {
  const sorted = samples.toSorted((one, other) => one - other);
  return { count: sorted.length, p50: at(sorted, 0.5), p99: at(sorted, 0.99) };
}

/** The shares that a long run shows, and its greatest. */
export interface Percentiles extends Summary {
  readonly p90: number;
  readonly max: number;
}

/** @throws RangeError for an empty series. */
export function percentiles(samples: readonly number[]): Percentiles {
  const sorted = samples.toSorted((one, other) => one - other);
  return { ...summarize(samples), p90: at(sorted, 0.9), max: at(sorted, 1) };
}

function at(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new RangeError("Cannot summarize an empty series");
  return value;
}
