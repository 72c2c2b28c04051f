/**
 * A second attempt for failed tests. Real programs that tests start can crash, and a loaded machine can reach a time
 * limit, so one failure in thousands of tests proves little. A test that passes the second time is reported as unstable.
 */
import type { TestFailure, TestTime } from "./junit.ts";

/** More failed files than this are not accidental. */
const MOST_FILES = 2;

const ATTACKS = "tests/attacks/";
/** The verdict in the report of a row (tests/attacks/frame/report.ts). */
const ALLOWED = /\ballowed \(\d+ ways?\)/;

/** The file that ran a test. A file that registers tests for others has it in its failures (tests/_support/sharing.ts). */
const TEST_FILE = /\btests\/[\w/]+_test\.ts\b/;

function testFile({ file, text }: TestFailure): string {
  return file.endsWith("_test.ts") ? file : TEST_FILE.exec(text)?.[0] ?? file;
}

/** Files to run once more. Empty where too many failed, and where an attack was allowed: a sandbox must hold always. */
export function filesToTryAgain(failures: readonly TestFailure[]): readonly string[] {
  const files = [...new Set(failures.map(testFile))];
  const hasBreach = failures.some(({ file, text }) => file.startsWith(ATTACKS) && ALLOWED.test(text));
  return hasBreach || files.length > MOST_FILES ? [] : files;
}

/** Whether each of these tests ran and passed at the second attempt; `success`: nothing failed there. */
export function passedAgain(
  failures: readonly TestFailure[],
  { success, tests }: { readonly success: boolean; readonly tests: readonly TestTime[] },
): boolean {
  return success && failures.every((failed) => tests.some(({ name }) => name === failed.name));
}

/** The lines about tests that passed at the second attempt; `.ci/run` reads the number in the first. */
export function unstableText(failures: readonly TestFailure[]): string {
  const many = failures.length === 1 ? "1 test" : `${failures.length} tests`;
  return [
    `Unstable: ${many} passed at a second attempt only:`,
    ...failures.map((failed) => `  ${failed.name} (${testFile(failed)})`),
  ]
    .join("\n");
}
