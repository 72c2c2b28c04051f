/** Which files the arguments `glob` and `type` of `files_grep` choose, as `rg` does it. Pure. */
import { glob as testOf, type GlobTest } from "../../base/glob.ts";

interface Entry {
  /** Seen from the directory that is searched. */
  readonly path: string;
  readonly isDirectory: boolean;
  /** By the rules of the tree. */
  readonly isIgnored: boolean;
}

interface Glob {
  readonly isExcluding: boolean;
  readonly fitsFile: GlobTest;
  readonly fitsDirectory: GlobTest;
}

/**
 * Whether an entry is left out. The last pattern that fits decides, before all rules of the tree; with a pattern that
 * includes, a file that fits none is left out. `names`: patterns of names, one of which a file must fit; empty: any.
 */
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

/** Whether the name of a file fits one of the patterns; without any all do. */
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
