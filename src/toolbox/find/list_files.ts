/** Lists the files below a directory with `rg`, which is faster, or by our own walk with the same result. */
import { UserError } from "../../base/errors.ts";
import { findProgram, startProgram } from "../project/programs.ts";
import type { EntryKind } from "../../system/c_library.ts";
import type { Tree } from "../../system/tree/tree.ts";
import { Turns } from "../../system/tree/turns.ts";
import { walk, type WalkOptions } from "../../system/tree/walk.ts";

type ListOptions = Omit<WalkOptions, "depth">;

/** Both ways skip `.git` and disregard the user's global ignore rules. */
export const RG_SCOPE: readonly string[] = [
  "--no-config",
  "--hidden",
  "--no-require-git",
  "--no-ignore-global",
  "--glob=!.git",
];

/** Paths of regular files, relative to the directory of the tree, unordered. */
export function listFiles(tree: Tree, options: ListOptions): AsyncGenerator<readonly string[]> {
  return findProgram("rg") === undefined ? listByWalk(tree, options) : listByRg(tree, options);
}

/** How many files there are. */
export async function countFiles(tree: Tree, options: ListOptions): Promise<number> {
  let count = 0;
  for await (const paths of listFiles(tree, options)) count += paths.length;
  return count;
}

/** Files that are not ignored and match, unordered. */
export async function filesThatFit(
  tree: Tree,
  fits: (path: string) => boolean,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = [];
  const turns = new Turns();
  for await (const paths of listFiles(tree, { respectIgnore: true, signal })) {
    for (const path of await turns.filter(paths, fits, signal)) found.push(path);
  }
  return found;
}

/** The error of a call whose patterns match no file. */
export function noFileFits(patterns: readonly string[]): UserError {
  return new UserError(`No file matches ${patterns.map((one) => `"${one}"`).join(", ")}; files_glob finds paths`);
}

/** Lists paths by our own walk. */
export async function* listByWalk(
  tree: Tree,
  options: ListOptions,
  wanted: EntryKind = "file",
): AsyncGenerator<readonly string[]> {
  for await (const found of walk(tree, options)) {
    yield found.filter(({ kind, isIgnored }) => kind === wanted && !(options.respectIgnore && isIgnored))
      .map(({ path }) => tree.fromHere(path));
  }
}

/** Lists paths with `rg`, which must be installed. */
export async function* listByRg(tree: Tree, { respectIgnore, signal }: ListOptions): AsyncGenerator<readonly string[]> {
  await using running = startProgram({
    program: "rg",
    args: [...RG_SCOPE, "--files", "--null", ...respectIgnore ? [] : ["--no-ignore"]],
    directory: tree.place.path,
    signal,
  });
  let held = "";
  for await (const text of running.output.pipeThrough(new TextDecoderStream())) {
    const paths = (held + text).split("\0");
    held = paths.pop() ?? "";
    yield paths;
  }
  const { code, stderr } = await running.ended;
  // 1: no files; 2 with files: some directories could not be read.
  if (code > 2 || code === 2 && stderr === "") throw new UserError(`"rg" failed with exit code ${code}: ${stderr}`);
}
