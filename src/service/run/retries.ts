/** Retries work after transient failures (X16). */
import { delay, duration } from "../../base/time.ts";
import type { CommandEnd } from "../../base/command/command_end.ts";
import type { LeafRetry } from "../../catalog/model/leaf.ts";
import type { Work, WorkControl } from "../../operation/operation.ts";

/** `work` with the retries of its leaf; undefined: `work` itself. Each try and the reason for the next are in the output. */
export function withRetries(work: Work, retry: LeafRetry | undefined): Work {
  if (retry === undefined) return work;
  return async (control) => {
    for (let attempt = 1;; attempt++) {
      const end = await work(control);
      if (attempt > retry.max || !isTransient(end, retry) || control.signal.aborted) return end;
      const pauseMs = retry.backoff_ms * 2 ** (attempt - 1);
      announce(control, end, `try ${attempt} of ${retry.max + 1}, the next in ${pauseMs} ms`);
      if (!await delay(pauseMs, control.signal)) return end;
    }
  };
}

/** Whether the failure is transient: an exit code may be, a signal or a failed start is not. */
function isTransient(end: CommandEnd, retry: LeafRetry): boolean {
  if (end.kind !== "exited") return false;
  return retry.on_exit_codes === undefined ? end.code !== 0 : retry.on_exit_codes.includes(end.code);
}

function announce(control: WorkControl, end: CommandEnd, what: string): void {
  const code = end.kind === "exited" ? `exit code ${end.code}` : end.kind;
  control.say(`[${code}: ${what}]`);
}

/** `work`, ended after `seconds` with a line in the output; undefined: `work` itself. */
export function withTimeLimit(work: Work, seconds: number | undefined): Work {
  if (seconds === undefined) return work;
  return async (control) => {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), seconds * 1_000);
    try {
      const end = await work({ ...control, signal: AbortSignal.any([control.signal, limit.signal]) });
      if (limit.signal.aborted && !control.signal.aborted) {
        control.say(`[step timed out after ${duration(seconds * 1_000)}]`);
      }
      return end;
    } finally {
      clearTimeout(timer);
    }
  };
}
