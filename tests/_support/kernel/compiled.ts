import { exists } from "../workbench.ts";

/** Whether C programs can be compiled here; if not, a test says so in its name. */
export const HAS_COMPILER: boolean = exists("/usr/bin/gcc");

/** Why a test that needs a compiler is ignored; empty where there is one. */
export const NO_COMPILER: string = HAS_COMPILER ? "" : " (ignored: gcc is not installed)";

/** Compiles a C program of this directory to `path`, for every user to run. */
export async function compile(source: string, path: string): Promise<string> {
  const { success, stderr } = await new Deno.Command("gcc", {
    args: ["-O1", "-Wall", "-Werror", "-o", path, new URL(source, import.meta.url).pathname, "-lpthread"],
  }).output();
  if (!success) throw new Error(`Cannot compile "${source}": ${new TextDecoder().decode(stderr)}`);
  await Deno.chmod(path, 0o755);
  return path;
}
