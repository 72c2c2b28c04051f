import { toolFileNames } from "./read_directory.ts";

/** Directories that may hold tool files, below the working directory, in this order (T1). */
const CANDIDATES: readonly string[] = [".ahma/tools", ".ahma"];

/**
 * The tools directory (T1): the one given by `--tools-dir`, whether it exists or not (loading reports it), else the
 * first of `.ahma/tools` and `.ahma` under `cwd` that holds tool files and is no link to elsewhere: the author of a
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

/** Every directory that `findToolsDirectory` considers for this choice: its changes matter (T12). */
export function toolsDirectoryCandidates(explicit: string | undefined, cwd: string): readonly string[] {
  if (explicit !== undefined) return [explicit.startsWith("/") ? explicit : `${cwd}/${explicit}`];
  return CANDIDATES.map((candidate) => `${cwd}/${candidate}`);
}

/** Directories that are skipped because they lead out of `cwd`; a user who wants one names it with `--tools-dir`. */
export function strayToolsDirectories(cwd: string): readonly string[] {
  return CANDIDATES.map((candidate) => `${cwd}/${candidate}`).filter((directory) => leadsOut(directory, cwd));
}

function leadsOut(directory: string, cwd: string): boolean {
  try {
    return !`${Deno.realPathSync(directory)}/`.startsWith(`${Deno.realPathSync(cwd)}/`);
  } catch (thrown) {
    // The read reports a directory that is missing or closed.
    if (thrown instanceof Error) return false;
    throw thrown;
  }
}
