import { BUN_VERSION, npmTool } from "../_support/packages/npm_tools.ts";
import { directoryOf, PACKAGE, withPath } from "./node_package.ts";
import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

const BUN = await npmTool("bun", BUN_VERSION);
const PREPARED = `mkdir installed && cd installed && ${PACKAGE} && bun add ./part`;
const INSTALLED = "cp -a ../installed/. .";
const TEST =
  `echo 'export const answer = 42;' > answer.ts && printf 'import { expect, test } from "bun:test";\\nimport { answer } from "./answer";\\ntest("adds", () => { expect(40 + 2).toBe(answer); });\\n' > adds.test.ts`;
const EVIL = `${PACKAGE} && ${TEST} && echo 'require("fs").writeFileSync("pwned", "")' > evil.js`;

/** Each leaf of tools/bun.json. Nothing here asks a registry. */
const ROWS: readonly Row[] = [
  {
    tool: "bun_run",
    setup:
      `${PACKAGE} && echo 'const words: string[] = process.argv.slice(2); console.log("ran", words.join());' > a.ts`,
    args: { script: "a.ts", script_args: ["--preload=./evil.js", "a b"] },
    expected: /^ran --preload=\.\/evil\.js,a b$/m,
  },
  {
    tool: "bun_run",
    setup: PACKAGE,
    args: { script: "hello", filter: "work", script_args: ["-x"] },
    expected: /from a script -x/,
  },
  {
    tool: "bun_run",
    setup: `${EVIL} && echo 1 > a.js && bun run --preload=./evil.js a.js && rm pwned`,
    args: { script: "--preload=./evil.js", script_args: ["a.js"] },
    fails: true,
    effect: "test ! -e pwned",
  },
  {
    tool: "bun_test",
    setup: TEST,
    args: { "test-name-pattern": "adds", bail: 1, timeout: 5000, "update-snapshots": true, filters: ["adds"] },
    expected: /1 pass/,
  },
  { tool: "bun_test", setup: TEST, args: { coverage: true }, expected: /% Lines/ },
  {
    tool: "bun_test",
    setup: `${EVIL} && bun test --preload=./evil.js && rm pwned`,
    args: { filters: ["--preload=./evil.js"] },
    fails: true,
    effect: "test ! -e pwned",
  },
  {
    tool: "bun_build",
    setup: "echo 'console.log(1 + 1);' > a.ts",
    args: { outdir: "out", target: "node", minify: true, sourcemap: "linked", files: ["a.ts"] },
    effect: "test -e out/a.js.map",
  },
  {
    tool: "bun_install",
    setup: `${INSTALLED} && rm -r node_modules`,
    args: { "frozen-lockfile": true, production: true, "ignore-scripts": true },
    effect: "test -e node_modules/part/run.js",
  },
  {
    tool: "bun_add",
    setup: PACKAGE,
    args: { dev: true, exact: true, packages: ["./part"] },
    effect: "grep -q devDependencies package.json",
  },
  { tool: "bun_remove", setup: INSTALLED, args: { packages: ["part"] }, effect: "! grep -q part package.json" },
  { tool: "bun_update", setup: PACKAGE, args: { latest: true } },
  {
    tool: "bun_x",
    setup: INSTALLED,
    args: { program: "part", program_args: ["--cwd=/", "a b"] },
    expected: /^run --cwd=\/,a b$/m,
  },
  { tool: "bun_list", setup: INSTALLED, args: { all: true }, expected: /part@/ },
  { tool: "bun_outdated", setup: INSTALLED, args: { packages: ["part"] } },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  problem: BUN.problem,
  prepared: PREPARED,
  start: withPath(directoryOf(BUN.command)),
};
