import { messageOf } from "../base/errors.ts";
import type { LinuxRunner } from "../process/linux/linux_runner.ts";
import { summaryOf } from "../sandbox/selftest/judge.ts";

/** The result of the sandbox's self-test on one line (S3, S17), with what could not be tried. */
export async function selfTestLine(runner: Pick<LinuxRunner, "selfTest">): Promise<string> {
  const [tried] = await Promise.allSettled([runner.selfTest]);
  if (tried.status === "rejected") return `Self-test: not made yet: ${messageOf(tried.reason)}`;
  return tried.value === undefined ? "Self-test: none, there is no sandbox" : `Self-test: ${summaryOf(tried.value)}`;
}
