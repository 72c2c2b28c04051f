/**
 * Projects build as they are (S25): a small one of each ecosystem is built and tested with default flags, by the ordinary
 * user with empty caches and the network. Then root takes over the caches and has only a loopback: a fresh copy is built
 * and tested, or where that is costly uses what the first fetched and installed.
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

/** The real home; what the server keeps goes into the bench all the same. */
function homeFor(bench: Workbench, project: Project): Readonly<Record<string, string>> {
  if (project.realHome !== true || bench.user !== SECOND) return {};
  return {
    HOME: Deno.env.get("HOME") ?? bench.home,
    XDG_CACHE_HOME: `${bench.home}/.cache`,
    XDG_STATE_HOME: `${bench.home}/.state`,
  };
}

/** Programs of root's own Rust, linked to where the ordinary user reaches them; undefined: that user has some. */
async function linkedRust({ elsewhere }: Workbench, { realHome, programs }: Project): Promise<string | undefined> {
  if (realHome !== true || programs.every((program) => finds(pathOf("ordinary"), program))) return undefined;
  const line =
    'from=$(rustc --print sysroot); mkdir -p "$0/bin" "$0/lib/rustlib"; cp -l "$from"/bin/cargo "$from"/bin/rustc "$0/bin"; ' +
    'cp -l "$from"/lib/*.so* "$0/lib"; cp -rl "$from"/lib/rustlib/*-*-* "$0/lib/rustlib"';
  const { success, stderr } = await new Deno.Command("sh", { args: ["-ec", line, `${elsewhere}/rust`] }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return `${elsewhere}/rust/bin`;
}

/** Says where the headers of Node lie, as people do whose node-gyp cannot fetch them. */
function configureNpm(bench: Workbench): void {
  const node = pathOf(bench.user).map((directory) => `${directory}/node`).find(exists);
  const prefix = node === undefined ? "" : Deno.realPathSync(node).replace(/\/bin\/node$/, "");
  if (exists(`${prefix}/include/node/node_api.h`)) bench.write(`${bench.home}/.npmrc`, `nodedir=${prefix}\n`);
}

/** Builds a copy of the project's own, with a server that is started for it. */
async function build(bench: Workbench, project: Project, state: "cold" | "warm"): Promise<void> {
  configureNpm(bench);
  const alone = state === "warm" && project.asksIndex !== true;
  const flags = alone ? ["--network", "localhost"] : [];
  const rust = bench.user === SECOND ? undefined : await linkedRust(bench, project);
  const path = [...rust === undefined ? [] : [rust], ...pathOf(bench.user)];
  const environment = { PATH: path.join(":"), ...homeFor(bench, project) };
  await using server = await ServerProcess.start(bench, { flags, environment });
  for (const [path, text] of Object.entries({ ".keep": "", ...project.files })) bench.write(`${state}/${path}`, text);
  const answer = await server.call("sandboxed_shell", {
    command: project[state],
    working_directory: state,
    execution_mode: "Synchronous",
    timeout_seconds: 280,
  }, { deadline: 300_000, progressToken: state });
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

for (const project of PROJECTS) {
  const missing = missingFor(project);
  const reason = missing.length > 0 ? `not every user reaches ${missing.join(", ")}` : project.unfit?.();
  const ignored = reason === undefined ? "" : ` (ignored: ${reason})`;
  Deno.test({
    name:
      `S25 a ${project.name} project builds and passes its tests cold as ordinary, and its caches serve ${SECOND}${ignored}`,
    ignore: reason !== undefined,
    async fn() {
      using first = new Workbench("ordinary");
      await build(first, project, "cold");
      using second = new Workbench(SECOND);
      await handOver(first, second);
      await build(second, project, "warm");
    },
  });
}
