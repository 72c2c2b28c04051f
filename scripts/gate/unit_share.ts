/**
 * The unit tests in as many shares as `scripts/gate/unit` has files. A test file of its own costs a start of the runtime
 * and loads the sources again: in four shares the same tests take two thirds of the processor's time.
 */
import { globSync } from "node:fs";
import { OWN_RUNTIME } from "./own_runtime.ts";

const ROOT = new URL("../../", import.meta.url);
/** How many files there are. */
export const SHARES = 4;

/** Files that take long, so divided that no share takes much longer than another: the fifth joins the fourth. */
const LONGEST: readonly string[] = [
  "src/system/directory_watch_test.ts",
  "src/toolbox/web/page_text_test.ts",
  "src/app/runner/allowing_runner_test.ts",
  "src/process/linux/readiness/readiness_test.ts",
  "src/toolbox/web/web_fetch_test.ts",
];

/** Every file of unit tests that shares a runtime, from the root, sorted. */
export function unitTestFiles(): readonly string[] {
  const all = globSync("{src,scripts}/**/*_test.ts", { cwd: ROOT.pathname }).toSorted();
  return all.filter((file) => !OWN_RUNTIME.includes(file));
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

/** Defines the tests of a share. Functions that change the process throw, because lint does not see them in sources. */
export async function defineShare(number: number): Promise<void> {
  Object.assign(Deno, { chdir: refuse("directory"), addSignalListener: refuse("signals") });
  Object.assign(Deno.env, { set: refuse("environment"), delete: refuse("environment") });
  for (const file of shareOf(number)) await import(new URL(file, ROOT).href);
}

function refuse(what: string): () => never {
  return () => {
    throw new Error(`Tests that run side by side share the ${what} of the process: use a child process`);
  };
}
