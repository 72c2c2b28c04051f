/**
 * A guarded path may go between the look and the launch, as when an editor saves by renaming. The launcher then refuses
 * and nothing has run, so another look leads to another launch (S8).
 */
import type { GuardView } from "../../../sandbox/protect/guard_view.ts";

/** Launches of one thing while what is guarded keeps changing under them. */
const MOST_TRIES = 20;
/** Of these, after which nothing was seen to have changed. */
const MOST_UNCHANGED = 10;

/** The attempts to launch one thing. */
export interface Attempts<Result> {
  /** What is guarded now; undefined: nothing is. */
  look(): Pick<GuardView, "key"> | undefined;
  /** With what the last look saw. */
  launch(): Promise<Result>;
  /** Whether nothing ran, and it is worth another look. */
  mayTryAgain(result: Result): boolean;
  /**
   * Whether the launch itself failed. Then the paths may have changed and changed back within a tick of the clock, or
   * the launch went by another command's look. Absent: never.
   */
  mayHaveRaced?(result: Result): boolean;
  /** Called before each launch except the first, with its number; optional. */
  onAgain?(tries: number): void;
}

/** The result of the first launch; of a later one where that failed and the guarded paths have changed, or may have. */
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
