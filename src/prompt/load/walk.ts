/** Finds files below a directory, within limits (Q4, Q6). Links to other folders are not followed. */
import { type Diagnostic, transient } from "../../base/diagnostic.ts";
import { messageOf } from "../../base/errors.ts";
import { compareText } from "../../base/text.ts";
import { isExpected } from "../../system/paths.ts";

/** Limits of folders, of their depth and of all entries together, because reading them blocks the server. */
export const WALKED = { folders: 200, deepest: 8, entries: 10_000 } as const;

export interface WalkRules {
  /** What messages call the files, such as "prompts". */
  readonly noun: string;
  /** Whether a file counts; the path is relative to the directory. */
  readonly takes: (path: string) => boolean;
  /** Whether a folder is searched; absent: all are. */
  readonly enters?: (path: string) => boolean;
  /** Absent: those of `WALKED`. */
  readonly entries?: number;
}

export interface Walked {
  /** Paths of files below the directory, in order. */
  readonly files: readonly string[];
  /** The directory and those below it, absolute. */
  readonly folders: readonly string[];
  readonly diagnostics: Diagnostic[];
  /** False: a limit was reached, and something was left out. */
  readonly whole: boolean;
}

/** The folders below a directory, without links; empty if it cannot be read. */
export function foldersBelow(directory: string): readonly string[] {
  return walk(directory, { noun: "files", takes: () => false }).folders.slice(1);
}

/** The files and folders below a directory. No content makes it throw. */
export function walk(directory: string, { noun, takes, enters, entries = WALKED.entries }: WalkRules): Walked {
  const files: string[] = [];
  const diagnostics: Diagnostic[] = [];
  const folders: string[] = [""];
  let whole = true;
  let left = entries;
  for (const folder of folders) {
    const found = entriesOf(`${directory}/${folder}`.slice(0, -1), left, (place, why) => {
      diagnostics.push(transient(place, `Cannot read ${noun}: ${why}: make the directory readable`));
    });
    left -= found.length;
    if (left === 0) whole = false;
    for (const { name, isDirectory } of found) {
      const path = `${folder}${name}`;
      if (!isDirectory) {
        if (takes(path)) files.push(path);
      } else if (enters?.(path) === false) continue;
      else if (folders.length > WALKED.folders || path.split("/").length > WALKED.deepest) whole = false;
      else folders.push(`${path}/`);
    }
  }
  return {
    files: files.sort(compareText),
    folders: folders.map((folder) => `${directory}/${folder}`.slice(0, -1)),
    diagnostics,
    whole,
  };
}

/** The first entries of a directory; empty if there are none, or if it cannot be read, which is reported. */
export function entriesOf(
  place: string,
  most: number,
  report: (place: string, why: string) => void,
): readonly Deno.DirEntry[] {
  try {
    return Deno.readDirSync(place).take(most).toArray();
  } catch (thrown) {
    if (!isExpected(thrown)) throw thrown;
    if (!(thrown instanceof Deno.errors.NotFound)) report(place, messageOf(thrown));
    return [];
  }
}
