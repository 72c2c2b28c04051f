/**
 * Repositories below a tree: a monorepo's parts, submodules, clones. Their hooks and configuration count too (S8).
 * Looked for once, near the top and not for long: an editor that searches for repositories goes no deeper either.
 */
import { isExpected } from "./paths.ts";

/** Levels of directories below the tree that are looked into. */
const DEEPEST = 3;
const MOST_DIRECTORIES = 500;
/** Each costs a command some ten microseconds. */
const MOST_REPOSITORIES = 32;
/** Full of directories, and no place for repositories. */
const SKIPPED: readonly string[] = [".cache", ".venv", "__pycache__", "dist", "node_modules", "target", "venv"];

/** The directories that hold a `.git`, the tree itself not among them, and those that are a submodule's `.git`. */
export interface FoundRepositories {
  readonly directories: readonly string[];
  readonly submodules: readonly string[];
}

/** Looks level by level, so that what is near the top is found first. */
export async function findNestedRepositories(tree: string): Promise<FoundRepositories> {
  const directories: string[] = [];
  let level = [tree];
  let looked = 0;
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth++) {
    const next: string[] = [];
    for (const directory of level) {
      if (++looked > MOST_DIRECTORIES || directories.length >= MOST_REPOSITORIES) break;
      for (const { name, isDirectory } of await entriesOf(directory)) {
        if (name === ".git") {
          if (directory !== tree) directories.push(directory);
        } else if (isDirectory && !SKIPPED.includes(name)) next.push(`${directory}/${name}`);
      }
    }
    level = next;
  }
  const submodules = await entriesOf(`${tree}/.git/modules`);
  return {
    directories,
    submodules: submodules.filter(({ isDirectory }) => isDirectory).slice(0, MOST_REPOSITORIES)
      .map(({ name }) => `${tree}/.git/modules/${name}`),
  };
}

async function entriesOf(directory: string): Promise<readonly Deno.DirEntry[]> {
  try {
    return await Array.fromAsync(Deno.readDir(directory));
  } catch (thrown) {
    if (!isExpected(thrown)) throw thrown;
    return []; // what cannot be looked into holds nothing that can be found
  }
}
