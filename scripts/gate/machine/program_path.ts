/**
 * Where the tests find programs: in the directories of the system, and in that of Node. Programs elsewhere, such as
 * those of version managers, could hide that a fresh machine lacks them.
 */
import { existsSync, statSync } from "node:fs";

const SYSTEM_DIRECTORIES: readonly string[] = ["/usr/local/bin", "/usr/bin", "/bin"];

/** The directories of the tests' PATH, in order. @param path the PATH of this process, which leads to Node */
export function programDirectories(path: string): readonly string[] {
  const withNode = path.split(":").find((directory) => directory.startsWith("/") && isProgram(`${directory}/node`));
  const own = withNode === undefined || SYSTEM_DIRECTORIES.includes(withNode) ? [] : [withNode];
  return [...own, ...SYSTEM_DIRECTORIES];
}

/** The path of a program in the first directory that has it; undefined: none has. */
export function programIn(directories: readonly string[], name: string): string | undefined {
  return directories.map((directory) => `${directory}/${name}`).find(isProgram);
}

function isProgram(path: string): boolean {
  return existsSync(path) && statSync(path).isFile() && ((statSync(path).mode ?? 0) & 0o111) !== 0;
}
