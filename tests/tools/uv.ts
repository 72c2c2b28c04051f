import { uvPackage } from "../_support/packages/python_packages.ts";
import { withPath } from "./node_package.ts";
import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

const UV = await uvPackage();
/** A project that needs no index: its own packages are next to it, and uv builds them itself. */
const PROJECT = `printf '[project]\\nname = "work"\\nversion = "1.0"\\nrequires-python = ">=3.8"\\n' > pyproject.toml`;
const OFFLINE = { offline: true };

/** Each leaf of tools/uv.json. Nothing here asks a package index. */
const ROWS: readonly Row[] = [
  {
    tool: "uv_run",
    setup: PROJECT,
    args: { program: "python", program_args: ["-c", "import sys; print('ran', sys.argv)", "--with=x"], ...OFFLINE },
    expected: /^ran \['-c', '--with=x'\]$/m,
  },
  {
    tool: "uv_run",
    setup: PROJECT,
    args: { module: true, "no-sync": true, program: "json.tool", stdin: '{"a": 1}', ...OFFLINE },
    expected: /"a": 1/,
  },
  {
    tool: "uv_run",
    setup: PROJECT,
    args: { group: ["none"], extra: ["none"], with: ["none"], python: "3", program: "python", ...OFFLINE },
    fails: true,
    expected: /none/,
  },
  {
    tool: "uv_run",
    setup: PROJECT,
    args: { program: "--with=x", ...OFFLINE },
    fails: true,
    expected: /spawn: --with=x/,
  },
  {
    tool: "uv_sync",
    setup: `${PROJECT} && uv lock --offline`,
    args: { locked: true, "all-extras": true, "all-groups": true, "no-dev": true, ...OFFLINE },
    effect: "test -e .venv/bin/python",
  },
  {
    tool: "uv_add",
    setup: PROJECT,
    args: { dev: true, packages: ["none"], ...OFFLINE },
    fails: true,
    expected: /none/,
  },
  { tool: "uv_add", setup: PROJECT, args: { group: "a", packages: ["--index=x"] }, fails: true, expected: /--index=x/ },
  { tool: "uv_add", setup: PROJECT, args: { optional: "a", packages: ["none"], ...OFFLINE }, fails: true },
  { tool: "uv_remove", setup: PROJECT, args: { packages: ["none"], ...OFFLINE }, fails: true, expected: /none/ },
  { tool: "uv_remove", setup: PROJECT, args: { dev: true, packages: ["none"] }, fails: true, expected: /none/ },
  { tool: "uv_remove", setup: PROJECT, args: { group: "a", packages: ["none"] }, fails: true, expected: /none/ },
  {
    tool: "uv_lock",
    setup: PROJECT,
    args: { upgrade: true, "upgrade-package": ["x"], ...OFFLINE },
    effect: "test -e uv.lock",
  },
  { tool: "uv_lock", setup: PROJECT, args: { check: true, ...OFFLINE }, fails: true, expected: /lock/i },
  {
    tool: "uv_tree",
    setup: PROJECT,
    args: { depth: 1, package: "work", invert: true, outdated: true, ...OFFLINE },
    expected: /^work v1\.0$/m,
  },
  { tool: "uv_init", args: { lib: true, python: "3", path: "made" }, effect: "test -e made/pyproject.toml" },
  { tool: "uv_venv", args: { clear: true, python: "3", path: "env" }, effect: "test -e env/bin/python" },
  {
    tool: "uv_build",
    setup: PROJECT,
    args: { wheel: true, sdist: true, ...OFFLINE },
    fails: "perhaps",
    expected: /build/i,
  },
  { tool: "uv_pip_install", setup: "uv venv", args: { packages: ["none"], upgrade: true, ...OFFLINE }, fails: true },
  {
    tool: "uv_pip_install",
    setup: "uv venv && touch r.txt",
    args: { requirements: ["r.txt"], ...OFFLINE },
  },
  {
    tool: "uv_pip_install",
    setup: "uv venv",
    args: { editable: "missing", ...OFFLINE },
    fails: true,
    expected: /missing/,
  },
  { tool: "uv_pip_list", setup: "uv venv", args: { format: "json" }, expected: /\[\]/ },
  { tool: "uv_pip_list", setup: "uv venv", args: { outdated: true } },
  {
    tool: "uv_tool_run",
    args: { from: "none", with: ["none"], program: "none", program_args: ["-x"], ...OFFLINE },
    fails: true,
    expected: /none/,
  },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  problem: UV.problem,
  start: withPath(UV.programs),
};
