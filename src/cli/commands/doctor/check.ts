/** What a check found. */
export type CheckStatus = "ok" | "warning" | "failed";

/** One thing that `doctor` looked at. */
export interface Check {
  /** A word for programs. */
  readonly id: string;
  /** What was looked at, for people. */
  readonly title: string;
  readonly status: CheckStatus;
  /** What was found, and what to do where it is not well. */
  readonly message: string;
}
