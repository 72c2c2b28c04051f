import { UserError } from "./errors.ts";

/** The result of an action that is expected to fail at times. */
export type Outcome<Value, Problem = string> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: Problem };

/** A success that carries `value`. */
export function success<Value>(value: Value): Outcome<Value, never> {
  return { ok: true, value };
}

/** A failure that carries `problem`. */
export function failure<Problem>(problem: Problem): Outcome<never, Problem> {
  return { ok: false, problem };
}

/** The value. @throws {UserError} with the problem */
export function unwrapOrUserError<Value>(outcome: Outcome<Value>): Value {
  if (outcome.ok) return outcome.value;
  throw new UserError(outcome.problem);
}
