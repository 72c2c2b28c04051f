import { UserError } from "../../base/errors.ts";
import { aborted } from "../../base/time.ts";

/**
 * The value of `promise`, unless the program is asked to end before: a slow start must not delay the end.
 *
 * @throws {UserError} when `stop` aborts first; absent: it never does
 */
export async function raceAbort<Value>(promise: Promise<Value>, stop: AbortSignal | undefined): Promise<Value> {
  const ended = aborted(stop).then(() => {
    throw new UserError("It was asked to end before it had started");
  });
  return await Promise.race([ended, promise]);
}
