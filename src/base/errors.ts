/** An error the person (or agent) can act on: its message is shown as it stands, without a stack. */
export class UserError extends Error {
  override readonly name: string = "UserError";
}

/** A word or value that is wrong on every machine (exit code 2). */
export class UsageError extends UserError {
  override readonly name = "UsageError";
}

/** Ignores the error of a write or close whose reader may have ended; rethrows all others. */
export function ignoreClosedPipe(thrown: unknown): void {
  if (thrown instanceof Deno.errors.BrokenPipe || thrown instanceof TypeError) return;
  throw thrown;
}

/** The result of `work`; undefined if it throws an error of this kind. Rethrows all others. */
export function attempt<Value>(kind: ErrorKind, work: () => Value): Value | undefined {
  try {
    return work();
  } catch (thrown) {
    return undefinedFor(kind)(thrown);
  }
}

/** For the `catch` of a promise, as `attempt` does. */
export function undefinedFor(kind: ErrorKind): (thrown: unknown) => undefined {
  return (thrown) => {
    if (!(thrown instanceof kind)) throw thrown;
  };
}

type ErrorKind = abstract new (...words: never[]) => Error;

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Why the runtime's `fetch` failed. The reason is in the error's cause, after the address and the failing component. */
export function fetchFailure(thrown: unknown): string {
  const reason = messageOf(thrown instanceof Error ? thrown.cause ?? thrown : thrown);
  return reason.replace(/^error sending request for url \(.*?\): /, "").replace(/^client error \(.*?\): /, "");
}
