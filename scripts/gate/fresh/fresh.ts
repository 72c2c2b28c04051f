/**
 * Runs the test command of README on a machine that has only what README names: a root of Debian packages with Node, git,
 * bash, gcc and Python, a clone of what is committed, an empty HOME and the PATH of the system. Needs root, debootstrap,
 * and 8 GB for the root in /var/tmp.
 *
 *   deno task gate:fresh [--user] [--root DIR] [--release NAME] [COMMAND]
 *
 * `--user`: root installs what is missing, an ordinary user runs the command. `--root`: the directory of the root, which
 * is made if missing, kept and used again. `COMMAND`: a shell line instead of the test command.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { aptSources, authoritiesBeyond, mirrorOf, passedVariables, testCommand } from "./machine_settings.ts";

const REPOSITORY = new URL("../../../", import.meta.url).pathname;
const ENTER = new URL("enter.sh", import.meta.url).pathname;
const INCLUDED = "git,bash,gcc,python3,ca-certificates";
const PATH = "/usr/local/bin:/usr/bin:/bin";
const BUNDLE = "/etc/ssl/certs/ca-certificates.crt";
/** The files of apt's sources, in both forms. */
const SOURCES = ["/etc/apt/sources.list", "/etc/apt/sources.list.d/debian.sources"];
const PLACE = "/home/fresh";
const USER = 1000;

interface Wish {
  readonly root: string;
  readonly release: string;
  readonly isUser: boolean;
  /** A shell line; undefined: the test command. */
  readonly command: string | undefined;
}

/** The exit code of the command. */
async function runFresh({ root, release, isUser, command }: Wish): Promise<number> {
  if (!existsSync(`${root}/etc/debian_version`)) await makeRoot(root, release);
  await takeSettings(root, release);
  await placeNode(root);
  await placeClone(root);
  const test = testCommand(await Deno.readTextFile(`${REPOSITORY}README.md`));
  const line = ["bash", "-c", command ?? test];
  if (!isUser) return await enter(root, line);
  const prepared = await enter(root, ["bash", "-c", test.replace(" ok:full", " gate:prepare")]);
  if (prepared !== 0) return prepared;
  await run("chown", ["-R", `${USER}:${USER}`, `${root}${PLACE}`]);
  const asUser = ["setpriv", `--reuid=${USER}`, `--regid=${USER}`, "--clear-groups"];
  return await enter(root, [...asUser, ...line]);
}

async function makeRoot(root: string, release: string): Promise<void> {
  const mirror = await mirrorHere();
  await Deno.mkdir(root, { recursive: true });
  await run("debootstrap", ["--variant=minbase", `--include=${INCLUDED}`, release, root, mirror]);
}

/** The settings with which this machine reaches the registries. */
async function takeSettings(root: string, release: string): Promise<void> {
  for (const file of ["/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf"]) await copy(file, `${root}${file}`);
  for await (const { name } of Deno.readDir("/etc/apt/apt.conf.d")) {
    const text = await Deno.readTextFile(`/etc/apt/apt.conf.d/${name}`);
    if (/\bAcquire::/.test(text)) await Deno.writeTextFile(`${root}/etc/apt/apt.conf.d/${name}`, text);
  }
  await Deno.writeTextFile(`${root}/etc/apt/sources.list`, aptSources(release, await mirrorHere()));
  const globalConfig = (await text("npm", ["config", "get", "globalconfig"])).trim();
  await copy(globalConfig, `${root}/usr/local/etc/npmrc`);
  const own = existsSync(BUNDLE) ? await Deno.readTextFile(BUNDLE) : "";
  const authorities = authoritiesBeyond(own, await Deno.readTextFile(`${root}${BUNDLE}`));
  for (const [index, one] of authorities.entries()) {
    await Deno.writeTextFile(`${root}/usr/local/share/ca-certificates/machine${index}.crt`, `${one}\n`);
  }
  if (authorities.length > 0) await run("chroot", [root, "update-ca-certificates"]);
}

/** Puts this machine's Node where its archive would put it. */
async function placeNode(root: string): Promise<void> {
  const node = await Deno.realPath((await text("sh", ["-c", "command -v node"])).trim());
  const modules = (await text("npm", ["root", "--global"])).trim();
  await copy(node, `${root}/usr/local/bin/node`);
  await Deno.mkdir(`${root}/usr/local/lib/node_modules`, { recursive: true });
  await run("cp", ["-a", "--no-target-directory", `${modules}/npm`, `${root}/usr/local/lib/node_modules/npm`]);
  const headers = `${node.replace(/\/bin\/node$/, "")}/include/node`;
  await Deno.mkdir(`${root}/usr/local/include`, { recursive: true });
  await run("cp", ["-a", "--no-target-directory", headers, `${root}/usr/local/include/node`]);
  for (const name of ["npm", "npx"]) {
    await run("ln", ["-sf", `../lib/node_modules/npm/bin/${name}-cli.js`, `${root}/usr/local/bin/${name}`]);
  }
}

async function placeClone(root: string): Promise<void> {
  if (existsSync(`${root}${PLACE}`)) await Deno.remove(`${root}${PLACE}`, { recursive: true });
  await Deno.mkdir(`${root}${PLACE}/home`, { recursive: true });
  await run("git", ["clone", "--quiet", "--no-hardlinks", REPOSITORY, `${root}${PLACE}/clone`]);
}

/** Runs words in the clone, with the environment of a fresh login. */
async function enter(root: string, words: readonly string[]): Promise<number> {
  const variables = { ...passedVariables(Deno.env.toObject()), HOME: `${PLACE}/home`, PATH, LANG: "C.UTF-8" };
  const environment = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const args = [root, "env", "-i", `--chdir=${PLACE}/clone`, ...environment, ...words];
  return (await new Deno.Command(ENTER, { args, stdin: "null" }).spawn().status).code;
}

async function mirrorHere(): Promise<string> {
  const sources = SOURCES.filter((path) => existsSync(path)).map((path) => Deno.readTextFile(path));
  return mirrorOf((await Promise.all(sources)).join("\n")) ?? "http://deb.debian.org/debian";
}

async function copy(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  await Deno.mkdir(to.slice(0, to.lastIndexOf("/")), { recursive: true });
  await Deno.copyFile(from, to);
}

/** @throws {Error} when it fails */
async function run(program: string, args: readonly string[]): Promise<void> {
  const { success, code } = await new Deno.Command(program, { args: [...args], stdin: "null" }).spawn().status;
  if (!success) throw new Error(`${program} ${args.join(" ")} failed (exit code ${code})`);
}

async function text(program: string, args: readonly string[]): Promise<string> {
  return new TextDecoder().decode((await new Deno.Command(program, { args: [...args] }).output()).stdout);
}

const { values, positionals } = parseArgs({
  args: [...Deno.args],
  allowPositionals: true,
  options: { user: { type: "boolean" }, root: { type: "string" }, release: { type: "string", default: "bookworm" } },
});
const parent = values.root === undefined
  ? await Deno.makeTempDir({ dir: "/var/tmp", prefix: "ahma-fresh-" })
  : undefined;
try {
  Deno.exitCode = await runFresh({
    root: values.root ?? `${parent}/root`,
    release: values.release,
    isUser: values.user === true,
    command: positionals.length === 0 ? undefined : positionals.join(" "),
  });
} finally {
  if (parent !== undefined) await run("rm", ["-rf", "--one-file-system", parent]);
}
