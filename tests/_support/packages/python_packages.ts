/** Packages from PyPI, each in a virtual environment of the tests that is filled once: by uv, and uv's own by pip. */
import { installLock, testCache } from "./npm_tools.ts";
import { exists } from "../workbench.ts";

/** A package, or why it is not available. */
export interface PythonPackage {
  readonly version: string;
  /** The interpreter that has it. */
  readonly python: string;
  /** Where its programs are. */
  readonly programs: string;
  readonly problem: string | undefined;
}

const UV_VERSION = "0.13.9";

/** A Python with these variables keeps what it compiles next to its packages, for the next that imports them. */
export const KEEPS_COMPILED = { PYTHONDONTWRITEBYTECODE: "" };

/** fastmcp, and with it the newer Python SDK: one environment for the tests of both. `version` is the SDK's. */
export async function fastmcpWithSdk(): Promise<PythonPackage> {
  return await pythonPackage("mcp", "2.3.0", "fastmcp==4.1.2");
}

/** Makes the environment of this version if it is missing. `other`: a package that stands there too. */
export async function pythonPackage(
  name: string,
  version: string,
  ...other: readonly string[]
): Promise<PythonPackage> {
  return await installed([name, version, ...other].join("-"), version, async (place, python) => {
    const uv = await uvPackage();
    const options = ["--quiet", "--cache-dir", `${testCache()}/uv-cache`];
    return uv.problem ?? await failing("python3", ["-m", "venv", "--clear", "--without-pip", place]) ??
      await failing(`${uv.programs}/uv`, [
        "pip",
        "install",
        ...options,
        "--python",
        python,
        `${name}==${version}`,
        ...other,
      ]);
  });
}

/** The same of uv, which takes a third of pip's time. An environment without pip takes a tenth of the other's. */
export async function uvPackage(): Promise<PythonPackage> {
  return await installed(`uv-${UV_VERSION}`, UV_VERSION, async (place, python) => {
    const install = ["-m", "pip", "--python", python, "install", "--quiet", "--no-compile", `uv==${UV_VERSION}`];
    return await failing("python3", ["-m", "venv", "--clear", "--without-pip", place]) ??
      await failing("python3", [...install, "--timeout", "20", "--retries", "1"]);
  });
}

/** `fill` makes the environment, and returns why it could not. */
async function installed(
  folder: string,
  version: string,
  fill: (place: string, python: string) => Promise<string | undefined>,
): Promise<PythonPackage> {
  const place = `${testCache()}/python-${folder}`;
  const programs = `${place}/bin`;
  const python = `${programs}/python`;
  if (exists(`${place}/ready`)) return { version, python, programs, problem: undefined };
  await Deno.mkdir(place, { recursive: true });
  using _ = await installLock(place);
  if (exists(`${place}/ready`)) return { version, python, programs, problem: undefined };
  const problem = await fill(place, python);
  if (problem === undefined) await Deno.writeTextFile(`${place}/ready`, "");
  return { version, python, programs, problem };
}

/** The last message of a program that failed; undefined: it did not fail. */
async function failing(command: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args], stdin: "null" }).output();
    if (success) return undefined;
    const decoder = new TextDecoder();
    return (decoder.decode(stdout) + decoder.decode(stderr)).trim().split("\n").at(-1) ?? "";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return `${command} is not installed`;
    throw error;
  }
}
