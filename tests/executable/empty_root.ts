/** A root directory with glibc, a shell and five programs: no runtime, no package manager, no other tool. */
import { copyProgram, exists } from "../_support/workbench.ts";

/** The programs that commands of these tests need, beside what is built into the shell. */
const PROGRAMS = ["cat", "chmod", "env", "ls", "rm"];
const DEVICES = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"];
const DIRECTORIES = ["dev", "etc", "mnt", "proc", "run", "sys", "tmp", "usr/bin", "usr/lib", "usr/lib64", "var"];

/** Whether it can be made here, and why not. */
export const CAN_ENTER: boolean = Deno.build.os === "linux" && exists("/usr/bin/gcc");
export const CANNOT_ENTER: string = CAN_ENTER ? "" : " (ignored: gcc is not installed)";

export interface EmptyRoot extends Disposable {
  /** The words before a program that is run there; `places` of this machine are at their own paths. */
  enter(places: readonly string[]): readonly string[];
}

/** Makes it for an executable: with the libraries that it and the programs load. */
export async function emptyRoot(executable: string): Promise<EmptyRoot> {
  const directory = await Deno.realPath(await Deno.makeTempDir({ prefix: "ahma-root-" }));
  await Deno.chmod(directory, 0o755);
  const root = `${directory}/root`;
  for (const name of DIRECTORIES) await Deno.mkdir(`${root}/${name}`, { recursive: true });
  await Deno.chmod(`${root}/tmp`, 0o1777);
  for (const name of ["bin", "lib", "lib64"]) await Deno.symlink(`usr/${name}`, `${root}/${name}`);
  const programs = [...PROGRAMS, "sh"].map((name) => `/usr/bin/${name}`);
  for (const path of [...programs, ...await librariesOf([executable, ...programs])]) await copy(path, `${root}${path}`);
  const source = new URL("enter_root.c", import.meta.url).pathname;
  const { success, stderr } = await new Deno.Command("gcc", {
    args: ["-O1", "-Wall", "-Werror", "-o", `${directory}/enter_root`, source],
  }).output();
  if (!success) throw new Error(`Cannot compile "${source}": ${new TextDecoder().decode(stderr)}`);
  return {
    enter(places) {
      const all = [...DEVICES, ...places];
      for (const place of all) makePlace(place, root);
      return [`${directory}/enter_root`, root, all.join(":")];
    },
    [Symbol.dispose]: () => Deno.removeSync(directory, { recursive: true }),
  };
}

/** An empty file or directory, for a mount. */
function makePlace(place: string, root: string): void {
  if (exists(`${root}${place}`)) return;
  const directory = Deno.statSync(place).isDirectory;
  Deno.mkdirSync(`${root}${directory ? place : place.slice(0, place.lastIndexOf("/"))}`, { recursive: true });
  if (!directory) Deno.writeTextFileSync(`${root}${place}`, "");
}

/** The paths that the dynamic linker loads, itself included. */
async function librariesOf(programs: readonly string[]): Promise<ReadonlySet<string>> {
  const { stdout } = await new Deno.Command("ldd", { args: [...programs] }).output();
  const lines = new TextDecoder().decode(stdout).split("\n");
  return new Set(lines.flatMap((line) => /(?:=> )?(\/\S+) \(0x/.exec(line)?.[1] ?? []));
}

async function copy(from: string, to: string): Promise<void> {
  const usr = to.replace("/root/lib", "/root/usr/lib");
  await Deno.mkdir(usr.slice(0, usr.lastIndexOf("/")), { recursive: true });
  await copyProgram(await Deno.realPath(from), usr);
}
