/**
 * Projects build as they are (S25): a small one of each ecosystem is built and tested with default flags, by the ordinary
 * user with empty caches and the network. Then root takes over the caches and has only a loopback: a fresh copy is built
 * and tested, or where that is costly uses what the first fetched and installed. Projects that ask the same of a server
 * share one.
 */
import assert from "node:assert/strict";
import { ServerProcess } from "../_support/server_process.ts";
import { scopeName } from "../../src/sandbox/settle_paths.ts";
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

/** The first without root, or both the same. */
const [SECOND = "ordinary"] = usersAtHand();
const ACTS_AS_ROOT = Deno.uid() === 0;

/** Tool chains of the machine, where both users reach them. */
const DIRECTORIES = ["/usr/local/bin", "/usr/bin", "/bin"];
const OWN_DIRECTORIES = (Deno.env.get("PATH") ?? "").split(":");

/** Where the user finds programs: on the PATH of the test run, or for root's stand-in in those directories. */
function pathOf(user: User): readonly string[] {
  return user === "ordinary" && ACTS_AS_ROOT ? DIRECTORIES : OWN_DIRECTORIES;
}

function finds(directories: readonly string[], program: string): boolean {
  return directories.some((directory) => exists(`${directory}/${program}`));
}

/** The programs that one of the users does not find, and cannot be given. */
function missingFor({ programs, realHome }: Project): readonly string[] {
  const users = realHome === true ? [SECOND] : ["ordinary", SECOND] as const;
  return programs.filter((program) => users.some((user) => !finds(pathOf(user), program)));
}

/** One of the machine's own programs does not look into a home. */
function needsHome({ realHome, programs }: Project): boolean {
  const places = programs.map((program) => OWN_DIRECTORIES.find((directory) => finds([directory], program)) ?? "");
  return realHome === true && !places.every((place) => DIRECTORIES.includes(place));
}

/** The real home; what the server keeps goes into the bench all the same. */
function homeFor(bench: Workbench, project: Project): Readonly<Record<string, string>> {
  if (!needsHome(project) || bench.user !== SECOND) return {};
  return {
    HOME: Deno.env.get("HOME") ?? bench.home,
    XDG_CACHE_HOME: `${bench.home}/.cache`,
    XDG_STATE_HOME: `${bench.home}/.state`,
  };
}

/** Programs of root's own Rust, linked to where the ordinary user reaches them; empty: that user has some, or needs none. */
async function linkedRust({ elsewhere }: Workbench, projects: readonly Project[]): Promise<readonly string[]> {
  const programs = projects.filter(({ realHome }) => realHome).flatMap((project) => project.programs);
  if (programs.every((program) => finds(pathOf("ordinary"), program))) return [];
  const line =
    'from=$(rustc --print sysroot); mkdir -p "$0/bin" "$0/lib/rustlib"; cp -l "$from"/bin/cargo "$from"/bin/rustc "$0/bin"; ' +
    'cp -l "$from"/lib/*.so* "$0/lib"; cp -rl "$from"/lib/rustlib/*-*-* "$0/lib/rustlib"';
  const { success, stderr } = await new Deno.Command("sh", { args: ["-ec", line, `${elsewhere}/rust`] }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return [`${elsewhere}/rust/bin`];
}

/** Says where the headers of Node lie, as people do whose node-gyp cannot fetch them. */
function configureNpm(bench: Workbench): void {
  const node = pathOf(bench.user).map((directory) => `${directory}/node`).find(exists);
  const prefix = node === undefined ? "" : Deno.realPathSync(node).replace(/\/bin\/node$/, "");
  if (exists(`${prefix}/include/node/node_api.h`)) bench.write(`${bench.home}/.npmrc`, `nodedir=${prefix}\n`);
}

type State = "cold" | "warm";

/** Starts a server for projects that ask the same of it. */
async function serve(bench: Workbench, projects: readonly Project[], state: State): Promise<ServerProcess> {
  configureNpm(bench);
  const flags = state === "warm" ? ["--network", "localhost"] : [];
  const path = [...state === "cold" ? await linkedRust(bench, projects) : [], ...pathOf(bench.user)];
  const environment = Object.assign({ PATH: path.join(":") }, ...projects.map((project) => homeFor(bench, project)));
  return await ServerProcess.start(bench, { flags, environment });
}

/** Builds a copy of the project's own. */
async function build(bench: Workbench, server: ServerProcess, project: Project, state: State): Promise<void> {
  const directory = `${project.name}-${state}`;
  for (const [path, text] of Object.entries({ ".keep": "", ...project.files })) {
    bench.write(`${directory}/${path}`, text);
  }
  const answer = await server.call("sandboxed_shell", {
    command: project[state],
    working_directory: directory,
    execution_mode: "Synchronous",
    timeout_seconds: 280,
  }, { deadline: 300_000, progressToken: directory });
  assert.ok(!answer.failed, answer.text);
  assert.match(answer.text, state === "warm" ? project.expectedWarm ?? project.expected : project.expected);
}

/** Makes the cache of the first bench's scope that of the second one's. */
async function handOver(first: Workbench, second: Workbench): Promise<void> {
  const caches = ({ home }: Workbench) => `${home}/.cache/ahma_mcp/scopes`;
  const found = await Array.fromAsync(Deno.readDir(caches(first)));
  const cache = found.find(({ isDirectory }) => isDirectory);
  assert.ok(cache !== undefined);
  await Deno.mkdir(caches(second), { recursive: true, mode: 0o700 });
  const at = `${caches(second)}/${scopeName([{ path: second.scope, device: 0n, inode: 0n }])}`;
  await Deno.rename(`${caches(first)}/${cache.name}`, at);
  if (ACTS_AS_ROOT) await new Deno.Command("chown", { args: ["-Rh", "0:0", at] }).output();
}

/** A server for each list: what its projects ask of it is the same. */
function alike(projects: readonly Project[]): readonly (readonly Project[])[] {
  return [...Map.groupBy(projects, needsHome).values()];
}

/** Why a project cannot be built here. */
const REASONS = new Map(PROJECTS.flatMap((project) => {
  const missing = missingFor(project);
  const reason = missing.length > 0 ? `not every user reaches ${missing.join(", ")}` : project.unfit?.();
  return reason === undefined ? [] : [[project, ` (ignored: ${reason})`] as const];
}));

Deno.test(`S25 small projects build and pass their tests cold as ordinary, and their caches serve ${SECOND}`, async (t) => {
  const tryAll = async (bench: Workbench, projects: readonly Project[], state: State) => {
    await using server = await serve(bench, projects.filter((project) => !REASONS.has(project)), state);
    for (const project of projects) {
      await t.step({
        name: `${project.name} ${state}${REASONS.get(project) ?? ""}`,
        ignore: REASONS.has(project),
        fn: () => build(bench, server, project, state),
      });
    }
  };
  using first = new Workbench("ordinary");
  // Without root, both have the real home of those that need it.
  for (const projects of ACTS_AS_ROOT ? [PROJECTS] : alike(PROJECTS)) await tryAll(first, projects, "cold");
  using second = new Workbench(SECOND);
  await handOver(first, second);
  for (const projects of alike(PROJECTS.filter(({ warm }) => warm !== undefined))) {
    await tryAll(second, projects, "warm");
  }
});
