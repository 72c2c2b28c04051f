import { pythonPackage } from "../_support/packages/python_packages.ts";
import { withPath } from "./node_package.ts";
import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

const RUFF = await pythonPackage("ruff", "0.17.6");
const UNUSED = "echo 'import os' > a.py";
const UGLY = "echo 'x  =  1' > a.py";

/** Each leaf of tools/ruff.json. */
const ROWS: readonly Row[] = [
  {
    tool: "ruff_check",
    setup: UNUSED,
    args: { select: "F401", ignore: "E5", "output-format": "concise", paths: ["a.py"] },
    fails: true,
    expected: /^a\.py:1:8: F401/m,
  },
  { tool: "ruff_check", setup: UNUSED, args: { fix: true, "unsafe-fixes": true }, effect: "! grep -q os a.py" },
  { tool: "ruff_check", setup: UNUSED, args: { diff: true }, fails: true, expected: /^-import os$/m },
  { tool: "ruff_check", setup: UNUSED, args: { statistics: true }, fails: true, expected: /1\s+F401/ },
  // Ruff takes words from a file so named, but after -- none of them is an option.
  {
    tool: "ruff_check",
    setup: `${UNUSED} && echo --fix > words && ruff check @words && ${UNUSED}`,
    args: { paths: ["@words", "--fix"] },
    fails: true,
    effect: "grep -q os a.py",
  },
  { tool: "ruff_format", setup: UGLY, args: { paths: ["a.py"] }, effect: "grep -qx 'x = 1' a.py" },
  { tool: "ruff_format", setup: UGLY, args: { check: true }, fails: true, expected: /a\.py/ },
  { tool: "ruff_format", setup: UGLY, args: { diff: true }, fails: true, expected: /^\+x = 1$/m },
  { tool: "ruff_rule", args: { rule: "F401" }, expected: /unused-import/ },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  problem: RUFF.problem,
  start: withPath(RUFF.programs),
};
