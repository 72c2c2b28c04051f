import { absolutePath, isWithin, realPath } from "../../system/paths.ts";
import { type MayRead, toolFileNames } from "./read_directory.ts";

/** Directories that may hold tool files, below the working directory, in this order (T1). */
const CANDIDATES: readonly string[] = [".ahma/tools", ".ahma"];

/**
 * The tools directory (T1): the one given by `--tools-dir`, whether it exists or not (loading reports it), else the
 * first of `.ahma/tools` and `.ahma` under `cwd` that holds tool files and is not a link to elsewhere: the author of a
 * repository could have its content shown to the agent. Absolute when `cwd` is; undefined: none.
 */
export function findToolsDirectory(explicit: string | undefined, cwd: string): string | undefined {
  const candidates = toolsDirectoryCandidates(explicit, cwd);
  if (explicit !== undefined) return candidates[0];
  return candidates.find((directory) => {
    const names = leadsOut(directory, cwd) ? [] : toolFileNames(directory);
    return typeof names !== "string" && names.length > 0;
  });
}

/** Every directory that `findToolsDirectory` considers for this choice: its changes matter (T12). */
export function toolsDirectoryCandidates(explicit: string | undefined, cwd: string): readonly string[] {
  const candidates = explicit === undefined ? CANDIDATES : [explicit];
  return candidates.map((candidate) => candidate.startsWith("/") ? candidate : `${cwd}/${candidate}`);
}

/** Directories that are skipped because they lead out of `cwd`; a user who wants one names it with `--tools-dir`. */
export function strayToolsDirectories(cwd: string): readonly string[] {
  return toolsDirectoryCandidates(undefined, cwd).filter((directory) => leadsOut(directory, cwd));
}

/** Whether a path leads out of `directory`; false for what is missing or closed: its reading reports that. */
export function leadsOut(path: string, directory: string): boolean {
  const [real, tree] = [realPath(path), realPath(directory)];
  return real !== undefined && tree !== undefined && !real.startsWith(`${tree}/`);
}

/** Directories of the project, or where a flag led at the start: later links must not show others (T12, Q4). */
export function readableDirectories(explicit: string | undefined, cwd: string): MayRead {
  const project = realPath(cwd) ?? cwd;
  const named = explicit === undefined ? undefined : absolutePath(explicit, cwd);
  const chosen = named === undefined ? undefined : realPath(named);
  const outOfReach = named !== undefined && !isWithin(named, project);
  return (real) => outOfReach || real === chosen || isWithin(real, project);
}
