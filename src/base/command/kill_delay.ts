/** How soon work must end after an abort, given by the reason of the signal. */

/** The reason of an abort that leaves less time than usual between SIGTERM and SIGKILL. */
export class HurriedEnd extends Error {
  /** Milliseconds from SIGTERM to SIGKILL. */
  readonly killAfterMs: number;

  constructor(message: string, killAfterMs: number) {
    super(message);
    this.name = "HurriedEnd";
    this.killAfterMs = killAfterMs;
  }
}

/** Milliseconds from SIGTERM to SIGKILL for work with this aborted `signal`; `usual`, where its reason names none. */
export function killDelay(signal: AbortSignal, usual: number): number {
  return signal.reason instanceof HurriedEnd ? Math.min(usual, signal.reason.killAfterMs) : usual;
}
