/**
 * A second attempt for failed tests. Real programs that tests start can crash, and a loaded machine can reach a time
 * limit, so one failure in thousands of tests proves little. A test that passes the second time is reported as unstable.
 */
import type { TestFailure } from "./junit.ts";

/** More failed files than this are not accidental. */
const MOST_FILES = 2;

const ATTACKS = "tests/attacks/";
/** The verdict in the report of a row (tests/attacks/frame/report.ts). */
const ALLOWED = /\ballowed \(\d+ ways?\)/;

/** Files to run once more. Empty where too many failed, and where an attack was allowed: a sandbox must hold always. */
export function filesToTryAgain(failures: readonly TestFailure[]): readonly string[] {
  const files = [...new Set(failures.map(({ file }) => file))];
  const hasBreach = failures.some(({ file, text }) => file.startsWith(ATTACKS) && ALLOWED.test(text));
  return hasBreach || files.length > MOST_FILES ? [] : files;
}

/** The lines about tests that passed at the second attempt; `.ci/run` reads the number in the first. */
export function unstableText(failures: readonly TestFailure[]): string {
  const many = failures.length === 1 ? "1 test" : `${failures.length} tests`;
  return [
    `Unstable: ${many} passed at a second attempt only:`,
    ...failures.map(({ file, name }) => `  ${name} (${file})`),
  ]
    .join("\n");
}
