import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

const PACKAGE =
  `echo '{"name":"work","version":"1.0.0","scripts":{"hello":"echo from a script","test":"echo tested"}}' > package.json`;
const PART = `mkdir part && echo '{"name":"part","version":"1.0.0","bin":"run.js"}' > part/package.json && ` +
  `printf '#!/usr/bin/env node\\nconsole.log("run", process.argv.slice(2).join())\\n' > part/run.js && chmod +x part/run.js`;
/** Where a dependency is installed that needs no registry. */
const INSTALLED = { directory: "installed" };

/** Each leaf of tools/npm.json. Nothing here asks a registry, so the ones that only do that must fail clearly. */
const ROWS: readonly Row[] = [
  {
    ...INSTALLED,
    tool: "npm_install",
    setup: `${PACKAGE}; ${PART}`,
    args: { packages: ["./part"], offline: true },
    // npm_ci finds nothing installed.
    effect: "test -e node_modules/part/run.js && rm -r node_modules",
  },
  { ...INSTALLED, tool: "npm_ci", args: { offline: true }, effect: "test -e node_modules/part/run.js" },
  { tool: "npm_update", setup: PACKAGE, args: { offline: true } },
  {
    tool: "npm_run",
    setup: PACKAGE,
    args: { script: "hello", script_args: ["--and", "a b"] },
    expected: /^from a script --and a b$/m,
  },
  { tool: "npm_test", setup: PACKAGE, expected: /^tested$/m },
  {
    ...INSTALLED,
    tool: "npm_exec",
    args: { program: "part", program_args: ["--flag", "a b"], offline: true },
    expected: /^run --flag,a b$/m,
  },
  { ...INSTALLED, tool: "npm_ls", expected: /part@1\.0\.0/ },
  { tool: "npm_outdated", setup: PACKAGE },
  { tool: "npm_view", setup: PACKAGE, args: { package: "./part" }, fails: true },
  { ...INSTALLED, tool: "npm_explain", args: { packages: ["part"] }, expected: /part@1\.0\.0/ },
  { ...INSTALLED, tool: "npm_uninstall", args: { packages: ["part"] }, effect: "test ! -e node_modules/part" },
  { tool: "npm_audit", setup: PACKAGE, fails: true, expected: /lockfile/i },
  { tool: "npm_init", args: { yes: true }, effect: "test -f package.json" },
  {
    tool: "npm_version",
    setup: PACKAGE,
    args: { version: "patch", "no-git-tag-version": true },
    effect: "grep -q 1.0.1 package.json",
  },
  { tool: "npm_pack", setup: PACKAGE, effect: "test -f work-1.0.0.tgz" },
  { tool: "npm_pkg_get", setup: PACKAGE, args: { fields: ["name"] }, expected: /^"work"$/m },
  {
    tool: "npm_pkg_set",
    setup: PACKAGE,
    args: { assignments: ["description=a b"] },
    effect: "grep -q 'a b' package.json",
  },
  { tool: "npm_pkg_delete", setup: PACKAGE, args: { fields: ["scripts"] }, effect: "! grep -q scripts package.json" },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  program: "npm",
};
