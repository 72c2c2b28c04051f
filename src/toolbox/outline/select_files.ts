/** The files that patterns of a call mean. */
import { globTest, loadPicomatch, type PathTest } from "../find/glob_pattern.ts";
import { listFiles } from "../find/list_files.ts";
import type { Tree } from "../project/tree.ts";

/** Whether a path fits: a pattern also means the file or directory of exactly its name. */
export async function pathTest(patterns: readonly string[], directory: string): Promise<PathTest> {
  const make = await loadPicomatch();
  const fits = globTest(patterns, { caseSensitive: undefined, directory }, make);
  const names = patterns.map((pattern) => plainPath(pattern, directory));
  const excluding = patterns.filter((pattern) => pattern.startsWith("!"));
  const stays = excluding.length === 0
    ? () => true
    : globTest(excluding, { caseSensitive: undefined, directory }, make);
  return (path) => fits(path) || names.some((name) => path === name || path.startsWith(`${name}/`)) && stays(path);
}

/** Paths of files that fit, from the directory of the tree, in their order. One that is named exactly may be ignored. */
export async function selectFiles(
  tree: Tree,
  patterns: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const directory = tree.place.path;
  const fits = await pathTest(patterns, directory);
  const found = new Set<string>();
  for await (const paths of listFiles(tree, { respectIgnore: true, signal })) {
    for (const path of paths) if (fits(path)) found.add(path);
  }
  for (const pattern of patterns) {
    const path = plainPath(pattern, directory);
    if (path !== "" && !found.has(path) && tree.isFile(below(tree.from, path))) found.add(path);
  }
  return [...found].toSorted();
}

/** A path from the directory `from`; empty: the root. */
export function below(from: string, path: string): string {
  return from === "" ? path : `${from}/${path}`;
}

function plainPath(pattern: string, directory: string): string {
  const own = pattern.startsWith(`${directory}/`) ? pattern.slice(directory.length) : pattern;
  return own.replace(/^(?:\.?\/)+/, "").replace(/\/$/, "");
}
