import { npmTool } from "../_support/packages/npm_tools.ts";
import { directoryOf, PACKAGE, withPath } from "./node_package.ts";
import type { Row } from "./row.ts";
import { trialOf } from "./trial.ts";

const YARN = await npmTool("yarn", "1.22.22");
const LATER = await npmTool("@yarnpkg/cli-dist", "4.18.1", "yarn");

const LATER_PLACE = Deno.realPathSync(LATER.command[0] ?? ".");
/** Projects name the Yarn that they want, and Yarn 1 hands over to it. */
const NAMED = `${PACKAGE} && echo 'yarnPath: "${LATER_PLACE}"' > .yarnrc.yml && touch yarn.lock`;
const PREPARED = `mkdir one later && ( cd one && ${PACKAGE} && yarn add file:./part ) && ` +
  `( cd later && ${NAMED} && yarn add part@file:./part )`;
const ONE = "cp -a ../one/. .";
const LATER_ONE = "cp -a ../later/. .";
const SCRIPT_ARGS = ["--cwd=/", "a b", "--", "-x"];

/** Each leaf of tools/yarn.json, with Yarn 1 and a later one. Nothing here asks a registry. */
const ROWS: readonly Row[] = [
  { tool: "yarn_install", setup: ONE, args: { "frozen-lockfile": true, "ignore-scripts": true } },
  { tool: "yarn_install", setup: LATER_ONE, args: { immutable: true } },
  {
    tool: "yarn_add",
    setup: PACKAGE,
    args: { dev: true, exact: true, packages: ["file:./part"] },
    effect: "grep -q devDependencies package.json",
  },
  {
    tool: "yarn_add",
    setup: NAMED,
    args: { dev: true, exact: true, packages: ["part@file:./part"] },
    effect: "grep -q devDependencies package.json",
  },
  { tool: "yarn_add", setup: ONE, args: { packages: ["--cwd=/"] }, fails: true, expected: /take for an option/ },
  { tool: "yarn_remove", setup: ONE, args: { packages: ["part"] }, effect: "! grep -q part package.json" },
  { tool: "yarn_up", setup: LATER_ONE, args: { recursive: true, packages: ["part"] } },
  { tool: "yarn_upgrade", setup: ONE, args: { latest: true, packages: ["part"] }, expected: /part@1\.0\.0/ },
  // Without -- before the script Yarn 1 would take what stands before its own -- for options.
  {
    tool: "yarn_run",
    setup: ONE,
    args: { script: "hello", script_args: SCRIPT_ARGS },
    expected: /^from a script --cwd=\/ a b -- -x$/m,
  },
  {
    tool: "yarn_run",
    setup: LATER_ONE,
    args: { script: "part", script_args: SCRIPT_ARGS },
    expected: /^run --cwd=\/,a b,--,-x$/m,
  },
  { tool: "yarn_run", setup: ONE, args: { script: "--cwd=/" }, fails: true, expected: /"--cwd=\/" not found/ },
  {
    tool: "yarn_dlx",
    setup: NAMED,
    args: { package: ["missing@file:./missing"], program: "missing", program_args: ["--cwd=/"] },
    fails: true,
    expected: /missing/,
  },
  { tool: "yarn_why", setup: ONE, args: { package: "part" }, expected: /part@1\.0\.0/ },
];

Deno.test(
  await trialOf({
    file: "yarn.json",
    rows: ROWS,
    problem: YARN.problem ?? LATER.problem,
    prepared: PREPARED,
    start: () => ({ ...withPath(directoryOf(YARN.command))(), flags: ["--read", LATER_PLACE] }),
  }),
);
