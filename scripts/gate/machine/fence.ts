/**
 * Hides programs that a fresh machine may lack, so that a test that needs one fails here too. Visible are the programs
 * of the packages that the tests name, and of their dependencies. Each part of the gate runs in a mount namespace in
 * which the directories of programs lack all others.
 */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { merged, PACKAGE_FORM, packagesOf, withDependencies } from "./packages.ts";
import type { Prerequisite } from "./prerequisites.ts";
import { programIn } from "./program_path.ts";

/** Directories that are not on the PATH: their programs are found only by path. */
const MORE_DIRECTORIES: readonly string[] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];
/** Programs that are not from Debian: users install them in their own way. */
const NODE: readonly string[] = ["node", "npm", "npx"];
const LISTS = "/var/lib/dpkg/info";

/** The facts that decide what is hidden. */
interface FenceOptions {
  readonly all: readonly Prerequisite[];
  /** Where tests find programs. */
  readonly directories: readonly string[];
  /** A private directory, which stays while the fence is used. */
  readonly place: string;
}

/** Words in front of a command; empty: nothing is hidden, for the reason that `say` gets. */
export async function fence(options: FenceOptions, say: (line: string) => void): Promise<readonly string[]> {
  const why = "Programs that the tests do not name stay within their reach";
  if (Deno.uid() !== 0 || !existsSync(LISTS)) {
    say(`${why}: only root on Debian can hide them`);
    return [];
  }
  const hidden = await hiddenPrograms(options);
  const mounts = [...hidden].filter(([, names]) => names.length > 0).map(([directory, names], index) => {
    const covers = `${options.place}/${index}`;
    return { directory, names, covers, line: `mount -t overlay -o lowerdir=${covers}:${directory} none ${directory}` };
  });
  for (const { names, covers } of mounts) await cover(covers, names);
  const lines = [...mounts.map(({ line }) => line), 'exec "$@"'].join(" && ");
  const words = ["unshare", "--mount", "sh", "-c", lines, "sh"];
  const { success, stderr } = await output([...words, "true"]);
  if (!success) say(`${why}: ${stderr.trim()}`);
  return success ? words : [];
}

/** Names of each directory that are hidden; a directory that is a link to another counts once. */
async function hiddenPrograms({ all, directories }: FenceOptions): Promise<ReadonlyMap<string, readonly string[]>> {
  const places = [...directories, ...MORE_DIRECTORIES].filter((directory) => existsSync(directory));
  const pathsOf = (names: readonly string[]) =>
    names.flatMap((name) => name.startsWith("/") ? name : programIn(directories, name) ?? [])
      .flatMap((path) => existsSync(path) ? [path, realpathSync(path)] : []);
  const named = pathsOf(all.map(({ what }) => what));
  const kept = new Set([...named, ...pathsOf([...NODE, Deno.execPath()])]);
  const files = await filesOfPackages(all.map(({ debianPackage }) => debianPackage), named);
  const isKept = (path: string) => kept.has(path) || files.has(merged(path));
  return new Map([...new Set(places.map((directory) => realpathSync(directory)))].map((directory) => {
    return [
      directory,
      readdirSync(directory).filter((name) => {
        const path = `${directory}/${name}`;
        return existsSync(path) && !isKept(path) && !isKept(realpathSync(path));
      }),
    ];
  }));
}

/** What the packages, those that have one of the `programs`, and all that they depend on have. */
async function filesOfPackages(packages: readonly string[], programs: readonly string[]): Promise<ReadonlySet<string>> {
  const installed = packagesOf((await output(["dpkg-query", "-W", "-f", PACKAGE_FORM])).stdout);
  const owners = await output(["dpkg-query", "-S", ...programs.flatMap((path) => [path, path.replace(/^\/usr/, "")])]);
  const having = owners.stdout.split("\n").flatMap((line) => /^([^:\s]+)(?::\w+)?: \//.exec(line)?.[1] ?? []);
  const wanted = withDependencies(installed, [...packages, ...having]);
  const lists = readdirSync(LISTS).filter((name) => wanted.has(/^(.*?)(?::\w+)?\.list$/.exec(name)?.[1] ?? ""));
  const texts = await Promise.all(lists.map((name) => Deno.readTextFile(`${LISTS}/${name}`)));
  return new Set(texts.flatMap((text) => text.split("\n")).map(merged));
}

/** What an overlay takes for removed files: devices 0/0 of the same names. */
async function cover(directory: string, [first = "", ...others]: readonly string[]): Promise<void> {
  await Deno.mkdir(directory);
  await output(["mknod", `${directory}/${first}`, "c", "0", "0"]);
  for (const name of others) await Deno.link(`${directory}/${first}`, `${directory}/${name}`);
}

async function output([program = "", ...args]: readonly string[]) {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, stdin: "null" }).output();
  const decoder = new TextDecoder();
  return { success, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
