import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

const TESTS =
  `printf 'def test_adds():\\n    assert 40 + 2 == 42\\n\\ndef test_fails():\\n    assert 1 == 2\\n' > test_it.py`;
/** Words that pytest takes from a file, options included, wherever it is named as @file. */
const WORDS = "printf -- '--collect-only\\n--quiet\\n' > words";

/** Each leaf of tools/pytest.json. */
const ROWS: readonly Row[] = [
  {
    tool: "pytest",
    setup: TESTS,
    args: {
      keyword: "adds or nothing",
      mark: "not slow",
      maxfail: 1,
      verbose: true,
      durations: 1,
      paths: ["test_it.py"],
    },
    expected: /test_it\.py::test_adds PASSED/,
  },
  {
    tool: "pytest",
    setup: TESTS,
    args: { tb: "line", quiet: true, "last-failed": true, "show-output": true, paths: ["test_it.py::test_fails"] },
    fails: true,
    expected: /test_it\.py:5: assert/,
  },
  {
    tool: "pytest",
    setup: `${TESTS} && ${WORDS}`,
    args: { paths: ["@words"] },
    fails: true,
    expected: /matches \^\[\^@\]/,
  },
  {
    tool: "pytest",
    setup: `${TESTS} && ${WORDS}`,
    args: { keyword: "@words" },
    fails: true,
    expected: /Wrong expression/,
  },
  // pytest obeys this one even after --.
  {
    tool: "pytest",
    setup: TESTS,
    args: { paths: ["-pno:terminal"] },
    fails: true,
    expected: /would take for an option/,
  },
  {
    tool: "pytest_collect",
    setup: TESTS,
    args: { keyword: "adds", mark: "not slow", paths: ["."] },
    expected: /^test_it\.py::test_adds$/m,
  },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  program: "pytest",
};
