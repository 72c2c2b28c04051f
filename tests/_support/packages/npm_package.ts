/** Shared by the tests of the npm package: the package, and an environment in which npm reaches its registry. */
import { writeFiles } from "../../../scripts/release/archive.ts";
import { npmFiles } from "../../../scripts/release/npm/npm_package.ts";
import { projectFacts, type PublicProject } from "../../../scripts/release/project.ts";
import { withDeadline } from "../deadline.ts";
import { testCache } from "./npm_tools.ts";
import { exists, type Workbench } from "../workbench.ts";

/** The project, as a release names it. */
export const PROJECT: PublicProject = projectFacts("owner/ahma_mcp");

/** npm's package of the runtime for this machine, and what it needs to be loaded. */
export const RUNTIME: { readonly platform: string; readonly loader: string } = Deno.build.arch === "aarch64"
  ? { platform: "linux-arm64-glibc", loader: "/lib/ld-linux-aarch64.so.1" }
  : { platform: "linux-x64-glibc", loader: "/lib64/ld-linux-x86-64.so.2" };

const PATH = "/usr/local/bin:/usr/bin:/bin";
/** npm's own cache, so that a second run needs no network; npx puts what it installs into `_npx` of its cache. */
const NPM_CACHE = Deno.env.get("npm_config_cache") ?? `${Deno.env.get("HOME")}/.npm`;
/** Settings that a machine may need to reach the registry: a proxy, certificates, the address of a mirror. */
const REACH = Object.entries(Deno.env.toObject()).filter(([name]) => /proxy|cert|npm_config_registry/i.test(name));

/** Variables for npm and for what it starts. No other program than those of the system is on the PATH. */
export function npmEnvironment(bench: Workbench): Record<string, string> {
  const cache = `${bench.parent}/npm-cache`;
  if (!exists(cache)) {
    Deno.mkdirSync(cache);
    Deno.mkdirSync(`${NPM_CACHE}/_cacache`, { recursive: true });
    Deno.symlinkSync(`${NPM_CACHE}/_cacache`, `${cache}/_cacache`);
  }
  const kept = { npm_config_cache: cache, BUN_INSTALL_CACHE_DIR: `${testCache()}/bun-cache` };
  const settings = { npm_config_userconfig: `${Deno.env.get("HOME")}/.npmrc`, npm_config_update_notifier: "false" };
  return { ...Object.fromEntries(REACH), ...settings, ...kept, HOME: bench.home, PATH, LANG: "C.UTF-8", CI: "true" };
}

/** The outcome of a run. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs words in the scope; `{prefix}` in them is a directory outside of it. */
export async function runWords(bench: Workbench, words: readonly string[]): Promise<Ran> {
  const [command = "", ...args] = words.map((word) => word.replace("{prefix}", `${bench.parent}/prefix`));
  const options = { args, cwd: bench.scope, clearEnv: true, env: npmEnvironment(bench) };
  const running = new Deno.Command(command, { ...options, stdin: "null" }).output();
  const { code, stdout, stderr } = await withDeadline(running, 120_000, words.join(" "));
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** Puts the package where npm would, without the runtime; gives its directory. */
export async function unpacked(bench: Workbench): Promise<string> {
  await writeFiles(`${bench.parent}/node_modules`, await npmFiles(PROJECT));
  return `${bench.parent}/node_modules/package`;
}
