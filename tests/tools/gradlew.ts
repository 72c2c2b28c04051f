import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

/** Where Gradle would stand: prints each word it was given. */
const STAND_IN = `printf '#!/bin/sh\\nfor word; do echo "[$word]"; done\\n' > gradlew && chmod +x gradlew`;

const BUILD = {
  info: true,
  stacktrace: true,
  offline: true,
  continue: true,
  "rerun-tasks": true,
  "exclude-task": ["lint", "test"],
  "project-prop": ["a=b c"],
};
const BUILD_WORDS =
  "--info --stacktrace --offline --continue --rerun-tasks --exclude-task lint --exclude-task test -Pa=b_c";
const LOOK = { offline: true, quiet: true };
const LOOK_WORDS = "--offline --quiet";

/** Each leaf of tools/gradlew.json, against a stand-in: Gradle is not to be had from npm or Debian as a wrapper. */
const ROWS: readonly Row[] = [
  ...[
    "build",
    "assemble",
    "check",
    "clean",
    "lint",
    "assembleDebug",
    "assembleRelease",
    "connectedDebugAndroidTest",
    "installDebug",
  ].map((task) => row(`gradlew_${task}`, BUILD, `${task} ${BUILD_WORDS}`)),
  row("gradlew_test", { tests: ["*A", "b.C"], ...BUILD }, `test --tests *A --tests b.C ${BUILD_WORDS}`),
  row("gradlew_testDebugUnitTest", { tests: ["A"], ...BUILD }, `testDebugUnitTest --tests A ${BUILD_WORDS}`),
  row("gradlew_run", { args: "--port 1", ...BUILD }, `run --args=--port_1 ${BUILD_WORDS}`),
  row("gradlew_tasks", { all: true, ...LOOK }, `tasks --all ${LOOK_WORDS}`),
  row("gradlew_projects", LOOK, `projects ${LOOK_WORDS}`),
  row("gradlew_dependencies", { configuration: "api", ...LOOK }, `dependencies --configuration api ${LOOK_WORDS}`),
  row("gradlew_properties", LOOK, `properties ${LOOK_WORDS}`),
  row("gradlew_task", { tasks: [":app:x", "y"], ...BUILD }, `${BUILD_WORDS} :app:x y`),
];

/** `words` with `_` for a space inside a word. */
function row(tool: string, args: Readonly<Record<string, unknown>>, words: string): Row {
  const printed = `--no-daemon --console=plain ${words}`.split(" ").map((word) => `[${word.replaceAll("_", " ")}]`)
    .join("\n");
  const escaped = printed.replace(/[[\]*.]/g, "\\$&");
  return { tool, args, setup: STAND_IN, expected: new RegExp(`^${escaped}$`, "m") };
}

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
};
