/** Patterns of paths, as `files_glob` and the argument `glob` of `files_grep` take them. */

/** Tells whether a path fits. */
export type PathTest = (path: string) => boolean;

/** The function of the package `picomatch`. */
export type MakeTest = (pattern: string, options: { readonly dot: true; readonly nocase: boolean }) => PathTest;

/** Loads the package at its first use. */
export async function loadPicomatch(): Promise<MakeTest> {
  const loaded = await import("picomatch") as unknown as { readonly default: MakeTest }; // it has no types
  return loaded.default;
}

export interface GlobOptions {
  /** Undefined: capitals matter where a pattern has one. */
  readonly caseSensitive: boolean | undefined;
  /** Absolute path of the directory where paths begin, which a pattern may repeat. */
  readonly directory: string;
}

/**
 * Whether a path fits one of the patterns and none of those that begin with `!`. Without a pattern of the first kind all
 * paths fit that are not excluded.
 */
export function globTest(patterns: readonly string[], options: GlobOptions, make: MakeTest): PathTest {
  const testOf = (pattern: string) => {
    const nocase = !(options.caseSensitive ?? /\p{Lu}/u.test(pattern));
    return make(anchored(pattern, options.directory), { dot: true, nocase });
  };
  const included = patterns.filter((pattern) => !isNegative(pattern)).map(testOf);
  const excluded = patterns.filter(isNegative).map((pattern) => testOf(pattern.slice(1)));
  return (path) =>
    (included.length === 0 || included.some((test) => test(path))) && !excluded.some((test) => test(path));
}

/** A pattern without a slash fits at any depth. */
function anchored(pattern: string, directory: string): string {
  const own = pattern.startsWith(`${directory}/`) ? pattern.slice(directory.length) : pattern;
  const plain = own.replace(/^(?:\.?\/)+/, "");
  const below = plain.endsWith("/") ? `${plain}**` : plain;
  return own.includes("/") ? below : `**/${below}`;
}

/** `!(a|b)` is a pattern of its own kind. */
function isNegative(pattern: string): boolean {
  return pattern.startsWith("!") && !pattern.startsWith("!(");
}
