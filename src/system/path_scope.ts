/**
 * The directory trees that a session may use (S16, T9). Paths are resolved as the kernel does: existing links are
 * followed, and `..` leaves the target of a link. These checks only give the agent a clear error. The sandbox is what
 * protects everything outside, even if a path changes later.
 */
import { encodeText, truncate } from "../base/text.ts";
import { messageOf } from "../base/errors.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import { isWithin, trustedPath } from "./paths.ts";

/** What a session may use. */
export interface Scope {
  /** Real paths, at least one; commands run in the first by default. */
  readonly roots: readonly string[];
  /** The real path of a directory in the scope (relative: in the first root). The problem is for the agent. */
  resolveDirectory(path: string | undefined): Promise<Outcome<string>>;
  /** The real path of `path` (relative to the real `directory`) inside the scope, or a problem worded for the agent. */
  contains(path: string, directory: string): Promise<Outcome<string>>;
}

/** Linux refuses longer paths. */
const LONGEST_PATH = 4096;
/** Longer paths are cut in messages. */
const LONGEST_SHOWN = 200;

/** Resolves `directories` once, now. @throws the file system's error; RangeError for an empty list */
export async function openScope(directories: readonly string[]): Promise<Scope> {
  if (directories.length === 0) throw new RangeError("A scope needs a directory");
  const roots: string[] = [];
  for (const directory of directories) roots.push(await Deno.realPath(directory));
  const uniqueRoots = [...new Set(roots)];
  return {
    roots: uniqueRoots,
    resolveDirectory: (path) => resolveDirectory(uniqueRoots, path),
    contains: (path, directory) => contains(uniqueRoots, path, directory),
  };
}

async function resolveDirectory(roots: readonly string[], path: string | undefined): Promise<Outcome<string>> {
  const start = roots[0] ?? "/";
  if (path === undefined) return success(start);
  const where = `working directory "${truncate(path, LONGEST_SHOWN)}"`;
  const resolved = await resolveInside(roots, path, start, where);
  if (!resolved.ok) return resolved;
  const problem = await directoryProblem(resolved.value);
  if (problem === undefined) return resolved;
  const home = path.startsWith("~") ? ' ("~" is not expanded)' : "";
  return failure(`Cannot use ${where}: ${problem}${home}; give an existing directory inside ${describe(roots)}`);
}

function contains(roots: readonly string[], path: string, directory: string): Promise<Outcome<string>> {
  return resolveInside(roots, path, directory, `path "${truncate(path, LONGEST_SHOWN)}"`);
}

async function resolveInside(
  roots: readonly string[],
  path: string,
  start: string,
  where: string,
): Promise<Outcome<string>> {
  const wrong = malformed(path);
  if (wrong !== undefined) return failure(`Cannot use ${where.replaceAll("\0", "\\0")}: ${wrong}`);
  try {
    const real = await follow(path.startsWith("/") ? path : `${start}/${path}`);
    if (roots.some((root) => isWithin(real, root))) return success(real);
    const leads = real === path ? "it is" : `it leads to "${real}",`;
    return failure(`Cannot use ${where}: ${leads} outside ${describe(roots)}; give a path inside it`);
  } catch (thrown) {
    // The runtime refuses /proc and /dev with a message for the person who started it.
    const reason = thrown instanceof Deno.errors.NotCapable ? `it is outside ${describe(roots)}` : messageOf(thrown);
    return failure(`Cannot use ${where}: ${reason}`);
  }
}

function malformed(path: string): string | undefined {
  if (path === "") return "it is empty; give a path or leave the argument out";
  if (path.includes("\0")) return "it contains a NUL character, which no path can";
  if (encodeText(path).length > LONGEST_PATH) {
    return `it is longer than ${LONGEST_PATH} bytes, the longest path there is`;
  }
  return undefined;
}

async function directoryProblem(real: string): Promise<string | undefined> {
  try {
    return (await Deno.stat(real)).isDirectory ? undefined : "it is not a directory";
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return "it does not exist";
    return messageOf(thrown);
  }
}

/** The real path of the existing part, followed by the remaining names. */
async function follow(path: string): Promise<string> {
  // With restricted permissions Deno resolves `..` before links, unlike the kernel.
  if (path.split("/").includes("..")) return followNameByName(path);
  try {
    return await Deno.realPath(path);
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
    return followNameByName(path);
  }
}

/** The slow path, for `..` and for missing paths: even a dangling link has a target. */
function followNameByName(path: string): string {
  const real = trustedPath(path, [], linkTarget);
  if (real === undefined) throw new Error("Too many levels of symbolic links");
  return real;
}

/** Empty: not a link, or nothing is there. */
function linkTarget(path: string): string {
  try {
    return Deno.lstatSync(path).isSymlink ? Deno.readLinkSync(path) : "";
  } catch (thrown) {
    if (isMissing(thrown)) return "";
    throw thrown;
  }
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof Deno.errors.NotFound || thrown instanceof Deno.errors.NotADirectory;
}

function describe(roots: readonly string[]): string {
  return `the scope ${roots.map((root) => `"${root}"`).join(", ")}`;
}
