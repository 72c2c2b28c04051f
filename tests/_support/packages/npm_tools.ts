/**
 * Programs from npm's registry, each installed once and kept for the next run. npm gets bun, and bun the others in a tenth
 * of npm's processor time; what bun does not get, npm does.
 */
import { withDeadline } from "../deadline.ts";
import { exists } from "../workbench.ts";

/** A program of a package, or why it is not available. */
export interface NpmTool {
  readonly name: string;
  /** The command that runs it; empty if it is not available. */
  readonly command: readonly string[];
  readonly problem: string | undefined;
}

/** Where the tests keep what they install. */
export function testCache(): string {
  return `${Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME") ?? "/tmp"}/.cache`}/ahma_tests`;
}

const EXCLUSIVE = true;

/** Test files run side by side: the first installs what is for all in `place`, the others wait for the lock meanwhile. */
export async function installLock(place: string): Promise<Disposable> {
  const lock = await Deno.open(`${place}.lock`, { write: true, create: true });
  await lock.lock(EXCLUSIVE);
  return lock;
}

/** What is installed: a package, and the program of it. */
interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly program: string;
}

/** Installs a version of it with the npm of this machine, where it is not there yet. `program`: what it is started by. */
export async function npmTool(name: string, version: string, program = name): Promise<NpmTool> {
  const wanted = { name, version, program };
  return toolOf(wanted, await installedIn(`${program}-${version}`, [wanted]));
}

/** The version of bun that the tests use. */
export const BUN_VERSION = "1.4.5";

const SERVERS_VERSION = "2026.8.31";
const SERVERS = ["everything", "filesystem", "memory"] as const;

/** One of the servers by the protocol's authors; all are in one place, because they share most of what they need. */
export async function officialServer(server: typeof SERVERS[number]): Promise<NpmTool> {
  const packages = SERVERS.map(officialPackage);
  return toolOf(officialPackage(server), await installedIn(`mcp-servers-${SERVERS_VERSION}`, packages));
}

function officialPackage(server: string): NpmPackage {
  return { name: `@modelcontextprotocol/server-${server}`, version: SERVERS_VERSION, program: `mcp-server-${server}` };
}

/** Where packages are installed, or why they are not. */
interface Installed {
  readonly modules: string;
  readonly problem: string | undefined;
}

function toolOf({ name, version, program }: NpmPackage, { modules, problem }: Installed): NpmTool {
  const command = name === "npm" ? ["node", `${modules}/npm/bin/npm-cli.js`] : [`${modules}/.bin/${program}`];
  return { name: `${name} ${version}`, command: problem === undefined ? command : [], problem };
}

async function installedIn(folder: string, packages: readonly NpmPackage[]): Promise<Installed> {
  const place = `${testCache()}/${folder}`;
  const modules = `${place}/node_modules`;
  if (exists(`${place}/ready`)) return { modules, problem: undefined };
  const isBun = packages.some(({ name }) => name === "bun");
  const bun = isBun ? undefined : await npmTool("bun", BUN_VERSION);
  await Deno.mkdir(place, { recursive: true });
  using _ = await installLock(place);
  if (exists(`${place}/ready`)) return { modules, problem: undefined };
  const names = packages.map(({ name, version }) => `${name}@${version}`);
  // Only npm reads its configuration of the machine, which may name another registry.
  const isFetched = bun !== undefined && bun.problem === undefined &&
    await failing([...bun.command, "add", "--trust", ...names], place) === undefined;
  const npm = ["npm", "install", "--no-audit", "--no-fund", "--prefer-offline", ...names];
  const problem = isFetched ? undefined : await failing(npm, place);
  if (problem === undefined) await Deno.writeTextFile(`${place}/ready`, "");
  return { modules, problem };
}

/** What the installer in `words` said about its failure in `place`, which has no packages; undefined: it did not fail. */
async function failing([command = "", ...args]: readonly string[], place: string): Promise<string | undefined> {
  await Deno.writeTextFile(`${place}/package.json`, "{}");
  const env = { BUN_INSTALL_CACHE_DIR: `${testCache()}/bun-cache` };
  const running = new Deno.Command(command, { args, cwd: place, env, stdin: "null", stdout: "null", stderr: "piped" });
  const { success, stderr } = await withDeadline(running.output(), 120_000, [command, ...args].join(" "));
  if (success) return undefined;
  const said = new TextDecoder().decode(stderr).trim().split("\n").findLast((line) => line.includes("error")) ?? "";
  return `"${command}" cannot get it: ${said}`;
}
