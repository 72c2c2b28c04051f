/**
 * The unit tests in as many shares as `scripts/gate/unit` has files. A test file of its own costs a start of the runtime
 * and loads the sources again: in four shares the same tests take two thirds of the processor's time.
 */
import { globSync } from "node:fs";

const ROOT = new URL("../../", import.meta.url);
/** How many files there are. */
export const SHARES = 4;

/** The files that take longest, each several seconds; the first four begin the shares, two more join the shortest. */
const LONGEST: readonly string[] = [
  "src/process/linux/linux_runner_test.ts",
  "src/toolbox/web/page_text_test.ts",
  "src/sandbox/protect/separate_hard_links_test.ts",
  "scripts/executable/pins_test.ts",
  "src/toolbox/find/list_files_test.ts",
  "src/process/linux/protection/git_query_test.ts",
];

/** Every file of unit tests, from the root, sorted. */
export function unitTestFiles(): readonly string[] {
  return globSync("{src,scripts}/**/*_test.ts", { cwd: ROOT.pathname }).toSorted();
}

/** The files of share `number`, from 1: every fourth one. */
export function shareOf(number: number): readonly string[] {
  const turns = LONGEST.map((_, index) => Math.min(index, 2 * SHARES - 1 - index));
  const others = unitTestFiles().filter((file) => !LONGEST.includes(file));
  return [
    ...LONGEST.filter((_, index) => turns[index] === number - 1),
    ...others.filter((_, index) => index % SHARES === number - 1),
  ];
}

/** Defines the tests of a share. */
export async function defineShare(number: number): Promise<void> {
  for (const file of shareOf(number)) await import(new URL(file, ROOT).href);
}
