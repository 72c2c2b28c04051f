import { QUICK } from "../projects/maven_project.ts";
import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

/** A project without sources: its phases need no plugin, so nothing is downloaded. */
const PROJECT = "echo '<project><modelVersion>4.0.0</modelVersion><groupId>invalid.example</groupId>" +
  "<artifactId>work</artifactId><version>${v}</version><packaging>pom</packaging></project>' > pom.xml";

/** Each leaf of tools/maven.json. */
const ROWS: readonly Row[] = [
  {
    tool: "maven",
    setup: PROJECT,
    args: {
      goals: ["validate", "test"],
      define: ["v=7.1", "other=a b"],
      "activate-profiles": "!x",
      projects: "invalid.example:work",
      "also-make": true,
      "skip-tests": true,
      offline: true,
      "update-snapshots": true,
      "fail-at-end": true,
      errors: true,
    },
    expected: /Building work 7\.1[^]*BUILD SUCCESS/,
  },
  { tool: "maven", setup: PROJECT, args: { goals: ["-s", "x"] }, fails: true, expected: /would take for an option/ },
  {
    tool: "maven_test",
    setup: PROJECT,
    args: { "-Dtest": "A#b*", projects: ".", "also-make": true, offline: true, "fail-at-end": true, quiet: true },
  },
  {
    tool: "maven_dependencies",
    setup: PROJECT,
    args: { "-Dincludes": "a:b", verbose: true, projects: ".", offline: true },
    fails: true,
    expected: /maven-dependency-plugin/,
  },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  program: "mvn",
  start: ({ scope }) => ({
    flags: ["--env", "MAVEN_OPTS"],
    environment: { MAVEN_OPTS: `${QUICK} -Dmaven.repo.local=${scope}/repository` },
  }),
};
