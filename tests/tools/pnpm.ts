import { npmTool } from "../_support/packages/npm_tools.ts";
import { directoryOf, PACKAGE, withPath } from "./node_package.ts";
import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

const PNPM = await npmTool("pnpm", "12.21.0");
const PREPARED = `mkdir installed && cd installed && ${PACKAGE} && pnpm add --offline file:./part`;
const INSTALLED = "cp -a ../installed/. .";

/** Each leaf of tools/pnpm.json. Nothing here asks a registry. */
const ROWS: readonly Row[] = [
  {
    tool: "pnpm_install",
    setup: `${INSTALLED} && rm -r node_modules`,
    args: { "frozen-lockfile": true, offline: true, "ignore-scripts": true, prod: true },
    effect: "test -e node_modules/part/run.js",
  },
  { tool: "pnpm_install", setup: INSTALLED, args: { "lockfile-only": true, offline: true } },
  {
    tool: "pnpm_add",
    setup: PACKAGE,
    args: { "save-dev": true, "save-exact": true, filter: "work", offline: true, packages: ["./part"] },
    effect: "grep -q devDependencies package.json",
  },
  { tool: "pnpm_add", setup: PACKAGE, args: { packages: ["--dir=/"] }, fails: true, expected: /take for an option/ },
  { tool: "pnpm_remove", setup: INSTALLED, args: { packages: ["part"] }, effect: "test ! -e node_modules/part" },
  { tool: "pnpm_update", setup: PACKAGE, args: { latest: true, recursive: true, filter: "work" } },
  {
    tool: "pnpm_run",
    setup: PACKAGE,
    args: { script: "hello", "if-present": true, script_args: ["--dir=/", "a b", "-C", "/"] },
    expected: /^from a script --dir=\/ a b -C \/$/m,
  },
  { tool: "pnpm_run", setup: PACKAGE, args: { script: "--dir=/" }, fails: true, expected: /--dir=\// },
  {
    tool: "pnpm_exec",
    setup: INSTALLED,
    args: { program: "part", program_args: ["--dir=/", "a b"] },
    expected: /^run --dir=\/,a b$/m,
  },
  {
    tool: "pnpm_dlx",
    args: { program: "file:./missing", args: ["--dir=/"] },
    fails: true,
    expected: /missing/,
  },
  { tool: "pnpm_dlx", args: { program: "--dir=/" }, fails: true, expected: /take for an option/ },
  { tool: "pnpm_list", setup: INSTALLED, args: { depth: 0, recursive: true, packages: ["part"] }, expected: /part/ },
  { tool: "pnpm_list", setup: INSTALLED, args: { json: true }, expected: /"name": "work"/ },
  { tool: "pnpm_outdated", setup: INSTALLED, args: { recursive: true, packages: ["part"] } },
  { tool: "pnpm_why", setup: INSTALLED, args: { packages: ["part"] }, expected: /^part@/m },
  { tool: "pnpm_audit", setup: PACKAGE, args: { "audit-level": "high", prod: true }, fails: "perhaps" },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  problem: PNPM.problem,
  prepared: PREPARED,
  start: withPath(directoryOf(PNPM.command)),
};
