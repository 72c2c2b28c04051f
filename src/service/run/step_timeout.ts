/** The time limit of one step, in addition to that of its sequence (T14, X9). */
import { encodeText } from "../../base/text.ts";
import type { Work } from "../../operation/operation.ts";
import { duration } from "../result/closing_line.ts";

/** `work`, ended after `seconds` with a line in the output; undefined: `work` itself. */
export function withTimeLimit(work: Work, seconds: number | undefined): Work {
  if (seconds === undefined) return work;
  return async (control) => {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), seconds * 1_000);
    try {
      const end = await work({ ...control, signal: AbortSignal.any([control.signal, limit.signal]) });
      if (limit.signal.aborted && !control.signal.aborted) {
        control.write(encodeText(`[step timed out after ${duration(seconds * 1_000)}]\n`));
      }
      return end;
    } finally {
      clearTimeout(timer);
    }
  };
}
