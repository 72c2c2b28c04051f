/** Programs from npm's registry, each installed once and kept for the next run. */
import { withDeadline } from "./deadline.ts";
import { exists } from "./workbench.ts";

/** A program of a package, or why it cannot be had. */
export interface NpmTool {
  readonly name: string;
  /** What runs it; empty where it cannot be had. */
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

/** Installs a version of it with the npm of this machine, where it is not there yet. `program`: what it is started by. */
export async function npmTool(name: string, version: string, program = name): Promise<NpmTool> {
  const place = `${testCache()}/${program}-${version}`;
  const modules = `${place}/node_modules`;
  const command = name === "npm" ? ["node", `${modules}/npm/bin/npm-cli.js`] : [`${modules}/.bin/${program}`];
  const title = `${name} ${version}`;
  if (exists(`${place}/ready`)) return { name: title, command, problem: undefined };
  await Deno.mkdir(place, { recursive: true });
  using _ = await installLock(place);
  if (exists(`${place}/ready`)) return { name: title, command, problem: undefined };
  await Deno.writeTextFile(`${place}/package.json`, "{}");
  const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", `${name}@${version}`];
  const running = new Deno.Command("npm", { args, cwd: place, stdin: "null", stdout: "null", stderr: "piped" });
  const { success, stderr } = await withDeadline(running.output(), 120_000, `npm install ${name}@${version}`);
  if (success) await Deno.writeTextFile(`${place}/ready`, "");
  const said = new TextDecoder().decode(stderr).trim().split("\n").findLast((line) => line.includes("error")) ?? "";
  return { name: title, command: success ? command : [], problem: success ? undefined : `npm cannot get it: ${said}` };
}
