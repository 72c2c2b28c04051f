/** Which files the arguments `glob` and `type` of `files_grep` choose, as `rg` does it. Pure. */
import type { MakeTest, PathTest } from "../find/glob_pattern.ts";

interface Entry {
  /** Seen from the directory that is searched. */
  readonly path: string;
  readonly isDirectory: boolean;
  /** By the rules of the tree. */
  readonly isIgnored: boolean;
}

interface Glob {
  readonly isExcluding: boolean;
  readonly fitsFile: PathTest;
  readonly fitsDirectory: PathTest;
}

/**
 * Whether an entry is left out. The last pattern that fits decides, before all rules of the tree; with a pattern that
 * includes, a file that fits none is left out. `names`: patterns of names, one of which a file must fit; empty: any.
 */
export function leavesOut(
  globs: readonly string[],
  names: readonly string[],
  make: MakeTest,
): (entry: Entry) => boolean {
  const tests = globs.map((glob) => globOf(glob, make)).toReversed();
  const includes = tests.some(({ isExcluding }) => !isExcluding);
  const isOfKind = kindTest(names, make);
  return ({ path, isDirectory, isIgnored }) => {
    const decisive = tests.find(({ fitsFile, fitsDirectory }) => (isDirectory ? fitsDirectory : fitsFile)(path));
    if (decisive === undefined ? isIgnored || includes && !isDirectory : decisive.isExcluding) return true;
    return !isDirectory && !isOfKind(path);
  };
}

/** Whether the name of a file fits one of the patterns; without any all do. */
export function kindTest(names: readonly string[], make: MakeTest): PathTest {
  const tests = names.map((name) => make(name, { dot: true, nocase: false }));
  return (path) => tests.length === 0 || tests.some((fits) => fits(path.slice(path.lastIndexOf("/") + 1)));
}

function globOf(glob: string, make: MakeTest): Glob {
  const isExcluding = glob.startsWith("!");
  const own = isExcluding ? glob.slice(1) : glob;
  const plain = own.replace(/^\//, "");
  const pattern = own.replace(/\/$/, "").includes("/") ? plain : `**/${plain}`;
  const test = (text: string) => make(text, { dot: true, nocase: false });
  const forDirectories = pattern.replace(/\/$/, "").replace(/\/\*\*$/, "/**/*");
  return {
    isExcluding,
    fitsFile: pattern.endsWith("/") ? () => false : test(pattern),
    fitsDirectory: test(forDirectories),
  };
}
