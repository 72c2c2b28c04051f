/** Finds the programs of commands along their PATH. */
import { isExecutableFile, programPaths } from "../../system/search_path.ts";
import { expected } from "../../system/paths.ts";

/** An executable file in its current state. */
export interface FoundProgram {
  readonly file: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970; undefined: the file system keeps no such time. */
  readonly changed: number | undefined;
}

/** The program that a command of this name starts in `directory`; undefined: there is none. */
export type FindProgram = (name: string, directory: string) => FoundProgram | undefined;

/** Searches `path` for each program once, for many probes of one moment. */
export function programFinder(path: readonly string[]): FindProgram {
  const known = new Map<string, FoundProgram | undefined>();
  return (name, directory) => {
    const key = name.includes("/") ? `${directory}/${name}` : name;
    if (!known.has(key)) known.set(key, firstExecutable(programPaths(name, path, directory)));
    return known.get(key);
  };
}

function firstExecutable(files: readonly string[]): FoundProgram | undefined {
  for (const file of files) {
    const seen = expected(() => Deno.statSync(file));
    if (seen !== undefined && isExecutableFile(seen)) {
      return { file, size: seen.size, changed: seen.mtime?.getTime() };
    }
  }
  return undefined;
}
