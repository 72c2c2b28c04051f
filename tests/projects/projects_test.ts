/**
 * Projects build as they are (S25): a small one of each ecosystem is built and tested with default flags, first with empty
 * caches and the network, then as a fresh copy in a second server that has the caches and only a loopback.
 */
import assert from "node:assert/strict";
import { ServerProcess } from "../_support/server_process.ts";
import { exists, type User, usersAtHand, Workbench } from "../_support/workbench.ts";
import { C_PROJECT } from "./c_project.ts";
import { CARGO_PROJECT } from "./cargo_project.ts";
import { GIT_PROJECT } from "./git_project.ts";
import { GO_PROJECT } from "./go_project.ts";
import { MAVEN_PROJECT } from "./maven_project.ts";
import { NPM_PROJECT } from "./npm_project.ts";
import type { Project } from "./project.ts";
import { PYTHON_PROJECT } from "./python_project.ts";

const PROJECTS: readonly Project[] = [
  C_PROJECT,
  GIT_PROJECT,
  GO_PROJECT,
  NPM_PROJECT,
  PYTHON_PROJECT,
  MAVEN_PROJECT,
  CARGO_PROJECT,
];

/** Tool chains of the machine, where both users reach them. */
const DIRECTORIES = ["/usr/local/go/bin", "/usr/local/bin", "/usr/bin", "/bin"];

/** Where the user finds programs: on the PATH of the test run, or for root's stand-in in those directories. */
function pathOf(user: User): readonly string[] {
  return user === "ordinary" && Deno.uid() === 0 ? DIRECTORIES : (Deno.env.get("PATH") ?? "").split(":");
}

/** The programs that the user does not find. */
function missingFor(user: User, { programs }: Project): readonly string[] {
  return programs.filter((program) => !pathOf(user).some((directory) => exists(`${directory}/${program}`)));
}

/** The real home; what the server keeps goes into the bench all the same. */
function homeFor(bench: Workbench, project: Project): Readonly<Record<string, string>> {
  if (project.realHome !== true) return {};
  return {
    HOME: Deno.env.get("HOME") ?? bench.home,
    XDG_CACHE_HOME: `${bench.home}/.cache`,
    XDG_STATE_HOME: `${bench.home}/.state`,
  };
}

/** Says where the headers of Node lie, as people do whose node-gyp cannot fetch them. */
function configureNpm(bench: Workbench): void {
  const node = pathOf(bench.user).map((directory) => `${directory}/node`).find(exists);
  const prefix = node === undefined ? "" : Deno.realPathSync(node).replace(/\/bin\/node$/, "");
  if (exists(`${prefix}/include/node/node_api.h`)) bench.write(`${bench.home}/.npmrc`, `nodedir=${prefix}\n`);
}

/** Builds a copy of the project's own, with a server that is started for it. */
async function build(bench: Workbench, project: Project, state: "cold" | "warm"): Promise<void> {
  const alone = state === "warm" && project.asksIndex !== true;
  const flags = alone ? ["--network", "localhost"] : [];
  const environment = { PATH: pathOf(bench.user).join(":"), ...homeFor(bench, project) };
  await using server = await ServerProcess.start(bench, { flags, environment });
  for (const [path, text] of Object.entries({ ".keep": "", ...project.files })) bench.write(`${state}/${path}`, text);
  const answer = await server.call("sandboxed_shell", {
    command: project[state],
    working_directory: state,
    execution_mode: "Synchronous",
    timeout_seconds: 280,
  }, { deadline: 300_000, progressToken: state });
  assert.ok(!answer.failed, answer.text);
  assert.match(answer.text, project.expected);
}

for (const user of usersAtHand()) {
  for (const project of PROJECTS) {
    const missing = missingFor(user, project);
    const costly = project.costly === true && user !== "ordinary";
    const ignore = missing.length > 0 || costly;
    const reason = costly
      ? " (ignored: costly, tried as ordinary)"
      : ` (ignored: this user cannot reach ${missing.join(", ")})`;
    Deno.test({
      name: `S25 a ${project.name} project builds and passes its tests, cold and warm, as ${user}${
        ignore ? reason : ""
      }`,
      ignore,
      async fn() {
        using bench = new Workbench(user);
        configureNpm(bench);
        await build(bench, project, "cold");
        await build(bench, project, "warm");
      },
    });
  }
}
