import { UserError } from "../base/errors.ts";
import type { Outcome } from "../base/outcome.ts";

/** The value. @throws {UserError} with the problem, for whoever started the program */
export function orRefuse<Value>(outcome: Outcome<Value>): Value {
  if (outcome.ok) return outcome.value;
  throw new UserError(outcome.problem);
}
