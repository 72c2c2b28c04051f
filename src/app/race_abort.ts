import { UserError } from "../base/errors.ts";

/**
 * What `promise` resolves with, unless the program is asked to end before: a caller that starts something slow must hear it.
 * @throws {UserError} when `stop` aborts; absent: it never does
 */
export async function raceAbort<Value>(promise: Promise<Value>, stop: AbortSignal | undefined): Promise<Value> {
  if (stop === undefined) return await promise;
  const stopped = Promise.withResolvers<never>();
  const onAbort = () => stopped.reject(new UserError("It was asked to end before it had started"));
  if (stop.aborted) onAbort();
  stop.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, stopped.promise]);
  } finally {
    stop.removeEventListener("abort", onAbort);
  }
}
