import { npmTool } from "../_support/packages/npm_tools.ts";
import { PACKAGE } from "./node_package.ts";
import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

const YARN = await npmTool("yarn", "1.22.22");
const LATER = await npmTool("@yarnpkg/cli-dist", "4.18.1", "yarn");

const PLACE = Deno.realPathSync(YARN.command[0] ?? ".");
const LATER_PLACE = Deno.realPathSync(LATER.command[0] ?? ".");
/** A file of the later one makes this a project of its own. */
const LATER_PACKAGE = `${PACKAGE} && touch yarn.lock`;
/** Those of Yarn 1, and those of a later one: each uses what the first added. */
const ONE = { directory: "one" };
const LATER_ONE = { directory: "later" };
/** The program that both are called by. */
const BOTH = `#!/bin/sh\ncase $PWD in */later) exec ${LATER_PLACE} "$@" ;; esac\nexec ${PLACE} "$@"\n`;
const SCRIPT_ARGS = ["--cwd=/", "a b", "--", "-x"];

/** Each leaf of tools/yarn.json, with Yarn 1 and a later one. Nothing here asks a registry. */
const ROWS: readonly Row[] = [
  {
    ...ONE,
    tool: "yarn_add",
    setup: PACKAGE,
    args: { dev: true, exact: true, packages: ["file:./part"] },
    effect: "grep -q devDependencies package.json",
  },
  {
    ...LATER_ONE,
    tool: "yarn_add",
    setup: LATER_PACKAGE,
    args: { dev: true, exact: true, packages: ["part@file:./part"] },
    effect: "grep -q devDependencies package.json",
  },
  { ...ONE, tool: "yarn_install", args: { "frozen-lockfile": true, "ignore-scripts": true } },
  { ...LATER_ONE, tool: "yarn_install", args: { immutable: true } },
  { ...ONE, tool: "yarn_add", args: { packages: ["--cwd=/"] }, fails: true, expected: /take for an option/ },
  // Without -- before the script Yarn 1 would take what stands before its own -- for options.
  {
    ...ONE,
    tool: "yarn_run",
    args: { script: "hello", script_args: SCRIPT_ARGS },
    expected: /^from a script --cwd=\/ a b -- -x$/m,
  },
  {
    ...LATER_ONE,
    tool: "yarn_run",
    args: { script: "part", script_args: SCRIPT_ARGS },
    expected: /^run --cwd=\/,a b,--,-x$/m,
  },
  { ...ONE, tool: "yarn_run", args: { script: "--cwd=/" }, fails: true, expected: /"--cwd=\/" not found/ },
  {
    ...LATER_ONE,
    tool: "yarn_dlx",
    args: { package: ["missing@file:./missing"], program: "missing", program_args: ["--cwd=/"] },
    fails: true,
    expected: /missing/,
  },
  { ...ONE, tool: "yarn_why", args: { package: "part" }, expected: /part@1\.0\.0/ },
  { ...LATER_ONE, tool: "yarn_up", args: { recursive: true, packages: ["part"] } },
  { ...ONE, tool: "yarn_upgrade", args: { latest: true, packages: ["part"] }, expected: /part@1\.0\.0/ },
  { ...ONE, tool: "yarn_remove", args: { packages: ["part"] }, effect: "! grep -q part package.json" },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  problem: YARN.problem ?? LATER.problem,
  start(bench) {
    Deno.chmodSync(bench.write("yarns/yarn", BOTH), 0o755);
    return {
      programs: [`${bench.scope}/yarns`],
      flags: ["--read", LATER_PLACE, "--read", PLACE.replace(/\/bin\/[^/]*$/, "")],
    };
  },
};
