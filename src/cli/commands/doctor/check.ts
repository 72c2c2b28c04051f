/** The result of a check. */
export type CheckStatus = "ok" | "warning" | "failed";

/** One check of `doctor`. */
export interface Check {
  /** Stable name for programs. */
  readonly id: string;
  /** Name for the user. */
  readonly title: string;
  readonly status: CheckStatus;
  /** The finding, and the remedy where there is a problem. */
  readonly message: string;
}

/** A check with its result. */
export function check(id: string, title: string, status: CheckStatus, message: string): Check {
  return { id, title, status, message };
}
