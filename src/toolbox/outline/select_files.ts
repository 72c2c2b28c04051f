/** The files that patterns of a call mean. */
import { pathTest, plainPath } from "../find/glob_pattern.ts";
import { listFiles } from "../find/list_files.ts";
import { Turns } from "../find/turns.ts";
import type { Tree } from "../project/tree.ts";

/** Paths of files that fit, from the directory of the tree, in their order. One that is named exactly may be ignored. */
export async function selectFiles(
  tree: Tree,
  patterns: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const directory = tree.place.path;
  const fits = pathTest(patterns, { directory });
  const found = new Set<string>();
  const turns = new Turns();
  for await (const paths of listFiles(tree, { respectIgnore: true, signal })) {
    for (const path of await turns.filter(paths, fits, signal)) found.add(path);
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
