/** A file with several names (hard links) is rewritten in place, which a protected path among them must not meet (S8). */
import { isSameFile, type Stat } from "../../system/open_files/file_calls.ts";
import { expected } from "../../system/paths.ts";
import { AT_FDCWD } from "../../system/syscalls.ts";
import { deniedChange } from "../project/protection.ts";
import type { Target } from "./target.ts";

/** A protected directory with more entries is taken to hold the file. */
const MOST_ENTRIES = 2000;

/** @throws {DeniedError} When a protected path is a name of the same file. */
export function insistOnOwnFile({ project: { setup }, place, files }: Target, wanted: Stat): void {
  const left = { entries: MOST_ENTRIES };
  // An absolute path is seen from no directory.
  const isWanted = (path: string) => isSameFile(files.stat(AT_FDCWD, path), wanted);
  for (const { path, flags, fileOnly, writable = [] } of setup.protection?.paths ?? []) {
    const isProtected = (one: string) => isWanted(one) && !writable.some((name) => one.startsWith(`${path}/${name}/`));
    if (isProtected(path) || !fileOnly && holds(path, isProtected, left)) throw deniedChange(place, setup, flags);
  }
}

function holds(directory: string, isWanted: (path: string) => boolean, left: { entries: number }): boolean {
  const entries = expected(() => [...Deno.readDirSync(directory)]) ?? [];
  left.entries -= entries.length;
  return left.entries < 0 || entries.some(({ name, isDirectory }) => {
    const path = `${directory}/${name}`;
    return isWanted(path) || isDirectory && holds(path, isWanted, left);
  });
}
