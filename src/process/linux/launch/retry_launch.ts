/**
 * A guarded path may go between the look and the launch (an editor that saves by renaming): the launcher then refuses,
 * nothing has run, and another look leads to another launch (S8).
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
   * Whether the launch itself failed: then the paths may have changed and be again as they were, which a clock of some
   * milliseconds does not tell, or it went by another command's look. Absent: never.
   */
  mayHaveRaced?(result: Result): boolean;
  /** Called before each launch but the first, with its number. Absent: none is told of. */
  onAgain?(tries: number): void;
}

/**
 * The result of the first launch, or of another one where it failed and the guarded paths are no longer the same, or may
 * have been others meanwhile.
 */
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
