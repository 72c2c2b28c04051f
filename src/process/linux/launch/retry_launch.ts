/** A launcher refuses when a guarded path changed since the check, as editors replace files; others follow (S8). */
import type { GuardView } from "../../../sandbox/protect/guard_view.ts";

/** How many launches are tried while the guarded paths keep changing. */
const MOST_TRIES = 20;
/** Of these, how many after no visible change. */
const MOST_UNCHANGED = 10;

/** The attempts to launch one thing. */
export interface Attempts<Result> {
  /** What is guarded now; undefined: nothing is. */
  look(): Pick<GuardView, "key"> | undefined;
  /** Launches with the state of the last check. */
  launch(): Promise<Result>;
  /** Whether nothing ran, and another check is worthwhile. */
  mayTryAgain(result: Result): boolean;
  /** Whether the launch itself failed: paths may have changed and changed back unseen, or its check is another's. */
  mayHaveRaced?(result: Result): boolean;
  /** Called before each launch except the first, with its number; optional. */
  onAgain?(tries: number): void;
}

/** The result of the first launch, or of a later one if it failed and the guarded paths may have changed. */
export async function retryLaunch<Result>(
  attempts: Attempts<Result>,
): Promise<Result> {
  let before = attempts.look()?.key;
  let unchanged = 0;
  for (let tries = 1;; tries++) {
    const result = await attempts.launch();
    if (tries >= MOST_TRIES || !attempts.mayTryAgain(result)) return result;
    const now = attempts.look()?.key;
    if (now === before && !(attempts.mayHaveRaced?.(result) === true && ++unchanged < MOST_UNCHANGED)) return result;
    before = now;
    attempts.onAgain?.(tries + 1);
  }
}
