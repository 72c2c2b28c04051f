/**
 * Where the tests find programs. A version manager such as pyenv has a script in front of Python, which takes twice as
 * long as Python itself. The interpreter comes first.
 */

/** `path` with the directory of `interpreter` first, unless that is in it; an empty `interpreter` is none. */
export function withInterpreterFirst(path: string, interpreter: string): string {
  const directory = interpreter.slice(0, interpreter.lastIndexOf("/"));
  return directory === "" || path.split(":").includes(directory) ? path : `${directory}:${path}`;
}

/** This process's PATH, as the tests are to have it. */
export async function programPath(): Promise<string> {
  const path = Deno.env.get("PATH") ?? "";
  return withInterpreterFirst(path, await interpreter());
}

/** Empty: there is no Python, which the tests that need it say. */
async function interpreter(): Promise<string> {
  try {
    const asked = await new Deno.Command("python3", { args: ["-c", "import sys; print(sys.executable)"] }).output();
    return new TextDecoder().decode(asked.stdout).trim();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}
