/** The server's own trial of its sandbox, as a part of `doctor` (S3, L6). */
import { messageOf } from "../../../base/errors.ts";
import type { LinuxRunner } from "../../../process/linux/linux_runner.ts";
import { summaryOf, titlesOf } from "../../../sandbox/selftest/judge.ts";
import { type Check, check, type CheckStatus } from "../../terminal/check.ts";

/** How the trial ended, and each attack that was not denied. */
export async function checkSelfTest({ selfTest }: Pick<LinuxRunner, "selfTest">): Promise<readonly Check[]> {
  const [tried] = await Promise.allSettled([selfTest]);
  if (tried.status === "rejected") return [row("failed", `could not be made: ${messageOf(tried.reason)}`)];
  const report = tried.value;
  if (report === undefined) return [];
  const breached = titlesOf(report.findings, "breached").length > 0;
  const rest = report.findings.filter(({ verdict }) => verdict === "impossible" || verdict === "granted");
  return [
    row(breached ? "failed" : "ok", summaryOf(report)),
    ...rest.length === 0 ? [] : [row("ok", `proves nothing about: ${rest.map(({ title }) => title).join(", ")}`)],
  ];
}

function row(status: CheckStatus, message: string): Check {
  return check("self_test", "self-test", status, message);
}
