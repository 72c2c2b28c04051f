import { CARGO_PROJECT, MANIFEST } from "./cargo_project.ts";
import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

/** It is built once: the rows that need it built use one directory. Less is compiled without what no row looks at. */
const BUILT = `${CARGO_PROJECT} && printf '[profile.dev]\\ndebug = 0\\nincremental = false\\n` +
  `[profile.bench]\\nopt-level = 0\\n[[bin]]\\nname = "work"\\ntest = false\\nbench = false\\n' >> Cargo.toml`;
const WITH_PART =
  `${CARGO_PROJECT} && mkdir -p part/src && ${MANIFEST} part > part/Cargo.toml && touch part/src/lib.rs`;
const CLIPPY = "cargo clippy --version";
const FMT = "cargo fmt --version";
const REMOVE = "cargo remove --help";

/** Each leaf of tools/cargo.json. Nothing here needs the network. */
const ROWS: readonly Row[] = [
  {
    tool: "cargo_build",
    directory: "built",
    setup: BUILT,
    args: { workspace: true, "all-targets": true, "all-features": true, offline: true, quiet: true },
    effect: "test -x target/debug/work",
  },
  {
    tool: "cargo_check",
    setup: `${CARGO_PROJECT} && echo 'pub fn wrong() -> i32 { "" }' >> src/lib.rs`,
    args: { package: "work", "no-default-features": true, offline: true },
    fails: true,
    expected: /E0308/,
  },
  {
    tool: "cargo_test",
    directory: "built",
    args: { lib: true, "no-fail-fast": true, filters: ["adds"], test_args: ["--nocapture", "--exact"], offline: true },
    expected: /0 passed[^]*1 filtered/,
  },
  {
    tool: "cargo_test",
    directory: "built",
    args: { filters: ["adds"], test_args: ["--test-threads=1"], offline: true },
    expected: /1 passed/,
  },
  {
    tool: "cargo_run",
    directory: "built",
    args: { bin: "work", program_args: ["--x", "a b"], offline: true, quiet: true },
    expected: /^answer 42 --x\|a b$/m,
  },
  {
    tool: "cargo_clippy",
    setup: `${CARGO_PROJECT} && echo 'pub fn same(x: bool) -> bool { if x { true } else { false } }' >> src/lib.rs`,
    args: { lint_args: ["-D", "warnings"], offline: true },
    fails: true,
    expected: /needless_bool/,
    needs: CLIPPY,
  },
  {
    tool: "cargo_clippy",
    setup: `${CARGO_PROJECT} && echo 'pub fn copied(x: i32) -> i32 { return x; }' >> src/lib.rs`,
    args: {
      fix: true,
      "allow-dirty": true,
      "allow-staged": true,
      "allow-no-vcs": true,
      "no-deps": true,
      offline: true,
      quiet: true,
    },
    effect: "! grep -q return src/lib.rs",
    needs: CLIPPY,
  },
  {
    tool: "cargo_fmt",
    setup: `${CARGO_PROJECT} && echo 'fn  ugly(){}' >> src/lib.rs`,
    args: { check: true, all: true },
    fails: true,
    expected: /^\+fn ugly\(\) \{\}$/m,
    needs: FMT,
  },
  {
    tool: "cargo_fmt",
    setup: `${CARGO_PROJECT} && echo 'fn  ugly(){}' >> src/lib.rs`,
    args: { package: "work" },
    effect: "grep -qx 'fn ugly() {}' src/lib.rs",
    needs: FMT,
  },
  {
    tool: "cargo_doc",
    directory: "built",
    args: { "no-deps": true, "document-private-items": true, offline: true, quiet: true },
    effect: "test -f target/doc/work/index.html",
    needs: "rustdoc --version",
  },
  {
    tool: "cargo_bench",
    directory: "built",
    args: { offline: true, filters: ["adds"] },
    expected: /adds \.\.\. ignored/,
  },
  {
    tool: "cargo_nextest_run",
    directory: "built",
    args: { "no-fail-fast": true, retries: 1, offline: true, filters: ["adds"] },
    expected: /1 passed/,
    needs: "cargo nextest --version",
  },
  { tool: "cargo_update", setup: WITH_PART, args: { workspace: true, offline: true }, effect: "test -f Cargo.lock" },
  {
    tool: "cargo_add",
    setup: WITH_PART,
    args: { path: "part", rename: "piece", dev: true, offline: true },
    effect: "grep -q piece Cargo.toml",
  },
  {
    tool: "cargo_remove",
    setup: `${WITH_PART} && printf '[dev-dependencies]\\npart = { path = "part" }\\n' >> Cargo.toml`,
    args: { dependencies: ["part"], dev: true, offline: true },
    effect: "! grep -q part Cargo.toml",
    needs: REMOVE,
  },
  {
    tool: "cargo_tree",
    directory: "built",
    args: { depth: 1, duplicates: false, edges: "normal", offline: true },
    expected: /^work v0\.1\.0/m,
  },
  { tool: "cargo_metadata", directory: "built", args: { "no-deps": true, offline: true }, expected: /"name":"work"/ },
  { tool: "cargo_clean", directory: "built", effect: "test ! -e target/debug/work" },
  { tool: "cargo_fetch", setup: CARGO_PROJECT, effect: "test -f Cargo.lock" },
  {
    tool: "cargo_new",
    args: { path: "made", lib: true, name: "other", edition: "2021", vcs: "none" },
    effect: "test -f made/src/lib.rs && grep -q other made/Cargo.toml",
  },
  { tool: "cargo_init", args: { bin: true, name: "here", vcs: "none" }, effect: "test -f src/main.rs" },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  program: "cargo",
};
