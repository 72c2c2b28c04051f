/** The official Python SDK in a virtual environment of the tests, installed once by pip. */
import { exists } from "./workbench.ts";

/** An interpreter that has the SDK, or why there is none. */
export interface PythonSdk {
  readonly version: string;
  readonly python: string;
  readonly problem: string | undefined;
}

/** Makes the environment of `mcp` in this version where it is not there yet. */
export async function pythonSdk(version: string): Promise<PythonSdk> {
  const cache = Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME") ?? "/tmp"}/.cache`;
  const place = `${cache}/ahma_tests/python-mcp-${version}`;
  const python = `${place}/bin/python`;
  if (exists(`${place}/ready`)) return { version, python, problem: undefined };
  await Deno.mkdir(place, { recursive: true });
  const problem = await failing("python3", ["-m", "venv", "--clear", place]) ??
    await failing(python, ["-m", "pip", "install", "-q", "--timeout", "20", "--retries", "1", `mcp==${version}`]);
  if (problem === undefined) await Deno.writeTextFile(`${place}/ready`, "");
  return { version, python, problem };
}

/** What a program that failed said last; undefined: it did not fail. */
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
