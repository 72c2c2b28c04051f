/**
 * The unit tests in as many shares as `scripts/gate/unit` has files. A test file of its own costs a start of the runtime
 * and loads the sources again: in four shares the same tests take two thirds of the processor's time.
 */
import { globSync } from "node:fs";

const ROOT = new URL("../../", import.meta.url);
/** How many files there are. */
export const SHARES = 4;

/** Every file of unit tests, from the root, sorted. */
export function unitTestFiles(): readonly string[] {
  return globSync("{src,scripts}/**/*_test.ts", { cwd: ROOT.pathname }).toSorted();
}

/** Defines the tests of share `number`, from 1: every fourth file. */
export async function defineShare(number: number): Promise<void> {
  for (const [index, file] of unitTestFiles().entries()) {
    if (index % SHARES === number - 1) await import(new URL(file, ROOT).href);
  }
}
