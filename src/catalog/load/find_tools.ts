import { toolFileNames } from "./read_directory.ts";

/** Where tool files are looked for in the working directory, in this order (T1). */
const CANDIDATES: readonly string[] = [".ahma/tools", ".ahma"];

/**
 * The tools directory (T1): the one given by `--tools-dir`, whether it exists or not (loading reports it), else the
 * first of `.ahma/tools` and `.ahma` under `cwd` that holds tool files and is no link to elsewhere: whoever sends a
 * repository could have what is there told to the agent. Absolute when `cwd` is; undefined: none.
 */
export function findToolsDirectory(explicit: string | undefined, cwd: string): string | undefined {
  if (explicit !== undefined) return explicit.startsWith("/") ? explicit : `${cwd}/${explicit}`;
  for (const candidate of CANDIDATES) {
    const directory = `${cwd}/${candidate}`;
    if (leadsOut(directory, cwd)) continue;
    const names = toolFileNames(directory);
    if (typeof names !== "string" && names.length > 0) return directory;
  }
  return undefined;
}

/** Every directory that `findToolsDirectory` looks at for this choice: where a change can matter (T12). */
export function toolsDirectoryCandidates(explicit: string | undefined, cwd: string): readonly string[] {
  if (explicit !== undefined) return [explicit.startsWith("/") ? explicit : `${cwd}/${explicit}`];
  return CANDIDATES.map((candidate) => `${cwd}/${candidate}`);
}

/** Directories that are not looked at because they lead out of `cwd`; somebody who meant it has to name the place. */
export function strayToolsDirectories(cwd: string): readonly string[] {
  return CANDIDATES.map((candidate) => `${cwd}/${candidate}`).filter((directory) => leadsOut(directory, cwd));
}

function leadsOut(directory: string, cwd: string): boolean {
  try {
    return !`${Deno.realPathSync(directory)}/`.startsWith(`${Deno.realPathSync(cwd)}/`);
  } catch (thrown) {
    // What is missing or cannot be entered is told when it is read.
    if (thrown instanceof Error) return false;
    throw thrown;
  }
}
