import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

const SCRIPT = `printf 'import sys\\nprint("run", sys.argv[1:], sys.stdin.read())\\n' > script.py`;
const TESTS =
  `printf 'import unittest\\nclass Adds(unittest.TestCase):\\n    def test_adds(self):\\n        self.assertEqual(40 + 2, 42)\\n' > test_adds.py`;
/** A package that needs no build tools. */
const INSTALLED =
  `mkdir -p lib/part-1.0.dist-info && printf 'Metadata-Version: 2.1\\nName: part\\nVersion: 1.0\\n' > lib/part-1.0.dist-info/METADATA`;
const PIP = "python3 -c 'import pip'";
const PYTEST = "python3 -c 'import pytest'";

/** Each leaf of tools/python.json. Nothing here asks a package index. */
const ROWS: readonly Row[] = [
  {
    tool: "python_run",
    setup: SCRIPT,
    args: { script: "script.py", args: ["--flag", "a b"], stdin: "in" },
    expected: /^run \['--flag', 'a b'\] in$/m,
  },
  {
    tool: "python_code",
    args: { code: 'import sys\nprint("it\'s", 6 * 7, sys.argv[1:])', args: ["-x"] },
    expected: /^it's 42 \['-x'\]$/m,
  },
  { tool: "python_code", args: { code: "-1" } },
  {
    tool: "python_module",
    args: { module: "json.tool", args: ["--compact"], stdin: '{ "a": 1 }' },
    expected: /^\{"a":1\}$/m,
  },
  {
    tool: "python_compile",
    setup: "echo 'def broken(:' > bad.py",
    args: { paths: ["bad.py"], quiet: true, force: true },
    fails: true,
    expected: /SyntaxError/,
  },
  {
    tool: "python_unittest",
    setup: TESTS,
    args: { tests: ["test_adds"], verbose: true, failfast: true, buffer: true, pattern: "test_*" },
    expected: /^Ran 1 test/m,
  },
  {
    tool: "python_pytest",
    setup: TESTS,
    args: {
      paths: ["test_adds.py"],
      keyword: "adds",
      mark: "not slow",
      maxfail: 1,
      exitfirst: true,
      "last-failed": true,
      verbose: true,
      tb: "short",
      "no-header": true,
    },
    expected: /1 passed/,
    needs: PYTEST,
  },
  {
    tool: "python_pytest",
    setup: TESTS,
    args: { "collect-only": true, quiet: true },
    expected: /test_adds\.py::Adds::test_adds/,
    needs: PYTEST,
  },
  // pytest takes options from a file so named, and obeys -p even after --.
  { tool: "python_pytest", args: { paths: ["@words"] }, fails: true, expected: /matches \^\[\^@\]/, needs: PYTEST },
  { tool: "python_pytest", args: { paths: ["-px"] }, fails: true, expected: /take for an option/, needs: PYTEST },
  {
    tool: "python_venv",
    args: { directory: "env", "without-pip": true, clear: true, "system-site-packages": true },
    effect: "env/bin/python -c 'import sys; sys.exit(sys.prefix == sys.base_prefix)'",
    needs: "python3 -c 'import venv'",
  },
  {
    tool: "python_pip_install",
    args: {
      packages: ["no-such-thing==1"],
      "no-index": true,
      target: "lib",
      upgrade: true,
      "no-deps": true,
      pre: true,
    },
    fails: true,
    expected: /No matching distribution/,
    needs: PIP,
  },
  {
    tool: "python_pip_uninstall",
    args: { packages: ["no name"] },
    fails: true,
    expected: /Invalid requirement/,
    needs: PIP,
  },
  {
    tool: "python_pip_list",
    setup: INSTALLED,
    args: { path: "lib", format: "freeze" },
    expected: /^part==1\.0$/m,
    needs: PIP,
  },
  { tool: "python_pip_show", args: { packages: ["pip"], files: true }, expected: /^Name: pip$/m, needs: PIP },
  { tool: "python_pip_freeze", setup: INSTALLED, args: { path: "lib" }, expected: /^part==1\.0$/m, needs: PIP },
  { tool: "python_pip_check", fails: "perhaps", expected: /requirement|requires/, needs: PIP },
  { tool: "python_version", expected: /^Python 3\./m },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  program: "python3",
};
