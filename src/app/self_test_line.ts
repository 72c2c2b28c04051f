import { messageOf } from "../base/errors.ts";
import type { LinuxRunner } from "../process/linux/linux_runner.ts";
import { summaryOf } from "../sandbox/selftest/judge.ts";

/** How the sandbox stood its trial, on one line (S3, S17); what could not be tried is said too. */
export async function selfTestLine(runner: Pick<LinuxRunner, "selfTest">): Promise<string> {
  const [tried] = await Promise.allSettled([runner.selfTest]);
  if (tried.status === "rejected") return `Self-test: not made yet: ${messageOf(tried.reason)}`;
  return tried.value === undefined ? "Self-test: none, there is no sandbox" : `Self-test: ${summaryOf(tried.value)}`;
}
