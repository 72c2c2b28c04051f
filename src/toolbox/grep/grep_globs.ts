/** Which files the arguments `glob` and `type` of `files_grep` select, as in `rg`. Pure. */
import { glob as testOf, type GlobTest } from "../../base/glob.ts";

interface Entry {
  /** Relative to the searched directory. */
  readonly path: string;
  readonly isDirectory: boolean;
  /** Whether the ignore rules of the tree ignore it. */
  readonly isIgnored: boolean;
}

interface Glob {
  readonly isExcluding: boolean;
  readonly fitsFile: GlobTest;
  readonly fitsDirectory: GlobTest;
}

/** Whether an entry is left out: the last fitting glob decides. `names`: patterns of a file's name; empty: any. */
export function leavesOut(
  globs: readonly string[],
  names: readonly string[],
): (entry: Entry) => boolean {
  const tests = globs.map((glob) => globOf(glob)).toReversed();
  const includes = tests.some(({ isExcluding }) => !isExcluding);
  const isOfKind = kindTest(names);
  return ({ path, isDirectory, isIgnored }) => {
    const decisive = tests.find(({ fitsFile, fitsDirectory }) => (isDirectory ? fitsDirectory : fitsFile)(path));
    if (decisive === undefined ? isIgnored || includes && !isDirectory : decisive.isExcluding) return true;
    return !isDirectory && !isOfKind(path);
  };
}

/** Whether a file name matches one of the patterns; without patterns all match. */
export function kindTest(names: readonly string[]): GlobTest {
  const tests = names.map((name) => testOf(name, "path"));
  return (path) => tests.length === 0 || tests.some((fits) => fits(path.slice(path.lastIndexOf("/") + 1)));
}

function globOf(glob: string): Glob {
  const isExcluding = glob.startsWith("!");
  const own = isExcluding ? glob.slice(1) : glob;
  const plain = own.replace(/^\//, "");
  const pattern = own.replace(/\/$/, "").includes("/") ? plain : `**/${plain}`;
  return {
    isExcluding,
    fitsFile: pattern.endsWith("/") ? () => false : testOf(pattern, "path"),
    fitsDirectory: testOf(pattern.replace(/\/$/, ""), "path"),
  };
}
