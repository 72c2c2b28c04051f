/** Path patterns of arguments and rules. Pure. */
import { UserError } from "../../base/errors.ts";
import { glob, type GlobTest } from "../../base/glob.ts";
import { shorten } from "../../base/visible_text.ts";

export interface GlobOptions {
  /** Absent: case matters if a pattern has a capital. */
  readonly caseSensitive?: boolean | undefined;
  /** Absolute path of the directory that paths are relative to; a pattern may begin with it. */
  readonly directory: string;
}

/** UTF-16 units: no path is longer. */
const LONGEST_PATTERN = 4_096;
/** Extended globs of shells, which would be taken literally and match nothing. */
const EXTENDED = /(?<!\\)(?:!\(|[@+*?]\([^()/]*\|)/;

/** Whether a path fits a pattern and none that begins with `!`. @throws {UserError} When one is not understood. */
export function globTest(patterns: readonly string[], options: GlobOptions): GlobTest {
  return withExcluded(patterns, options, (included) => {
    const tests = included.map((pattern) => testOf(pattern, options));
    return (path) => tests.length === 0 || tests.some((fits) => fits(path));
  });
}

/** As `globTest`, but a pattern also matches the file or directory with exactly its name; `.` matches everything. */
export function pathTest(patterns: readonly string[], options: GlobOptions): GlobTest {
  return withExcluded(patterns, options, (included) => {
    const fits = globTest(included, options);
    const names = included.map((pattern) => plainPath(pattern, options.directory));
    return (path) => fits(path) || names.some((name) => path === name || name === "." || path.startsWith(`${name}/`));
  });
}

/** Why a pattern cannot be used, with the remedy; undefined: it can. */
export function globProblem(pattern: string): string | undefined {
  const named = `Pattern "${shorten(pattern)}"`;
  if (pattern.length > LONGEST_PATTERN) return `${named} is longer than ${LONGEST_PATTERN} characters: write several`;
  if (!EXTENDED.test(pattern)) return undefined;
  const ways = 'write {a,b} for one of several, and another pattern that begins with "!" for what is left out';
  return `${named} is not understood: ${ways}`;
}

/** The path relative to the directory, without leading "./" or trailing "/". */
export function plainPath(path: string, directory: string): string {
  return withoutStart(path, directory).replace(/\/$/, "");
}

function withExcluded(
  patterns: readonly string[],
  options: GlobOptions,
  testOfIncluded: (included: readonly string[]) => GlobTest,
): GlobTest {
  const isNegative = (pattern: string) => pattern.startsWith("!") && !pattern.startsWith("!(");
  const included = testOfIncluded(patterns.filter((pattern) => !isNegative(pattern)));
  const excluded = patterns.filter(isNegative).map((pattern) => testOf(pattern.slice(1), options));
  return (path) => included(path) && !excluded.some((fits) => fits(path));
}

/** A pattern without a slash matches at any depth. */
function testOf(pattern: string, { directory, caseSensitive }: GlobOptions): GlobTest {
  const problem = globProblem(pattern);
  if (problem !== undefined) throw new UserError(problem);
  const plain = withoutStart(pattern, directory);
  const isAnchored = pattern.includes("/");
  const below = plain.endsWith("/") ? `${plain}**` : plain;
  const ignoreCase = !(caseSensitive ?? /\p{Lu}/u.test(pattern));
  return glob(isAnchored ? below : `**/${below}`, "path", { ignoreCase });
}

function withoutStart(path: string, directory: string): string {
  return (path.startsWith(`${directory}/`) ? path.slice(directory.length) : path).replace(/^(?:\.?\/)+/, "");
}
