/** Bounds the time of a call to the web (K5). */
import { UserError } from "../../base/errors.ts";

export interface TimeLimit {
  /** Aborted: the call is cancelled. */
  readonly signal: AbortSignal;
  readonly seconds: number;
  /** The error when the time is over: it names what took so long, and the way out. */
  readonly late: string;
}

/** Does work that obeys the signal it gets. @throws {UserError} When the time is over. */
export async function withinTime<Value>(
  { signal, seconds, late }: TimeLimit,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const limit = AbortSignal.timeout(seconds * 1000);
  try {
    return await work(AbortSignal.any([signal, limit]));
  } catch (thrown) {
    throw limit.aborted ? new UserError(late) : thrown;
  }
}
