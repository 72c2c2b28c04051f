/** Repositories below a tree count too (S8). They are searched for once, near the top, as editors do. */
import { setAsideAt, storesOf } from "../git_config/set_aside_places.ts";
import { expected, isExpected } from "../../system/paths.ts";

/** Levels of directories below the tree that are searched. */
const DEEPEST = 3;
/** Levels of `.git/modules`: a submodule's name is a path. */
const DEEPEST_NAME = 4;
/** Some fifty microseconds each, before the first command. */
const MOST_DIRECTORIES = 3_000;
/** Each costs a command some seventy microseconds: checks before and after it, and mounts. */
const MOST_REPOSITORIES = 128;

export interface FoundRepositories {
  /** The directories that hold a `.git`, the tree itself not among them. */
  readonly directories: readonly string[];
  /** Directories that are themselves a repository: bare ones, or a tree that is a `.git`. */
  readonly bare: readonly string[];
  /** Those in which a repository keeps what leads a linked worktree, wherever that lies, to it. */
  readonly worktrees: readonly string[];
  /** Entries that are neither file, directory nor link, such as sockets. */
  readonly others: readonly string[];
  /** False: there were more entries or directories than are searched. */
  readonly complete: boolean;
}

/** Searches level by level, so that paths near the top are found first. */
export async function findNestedRepositories(tree: string): Promise<FoundRepositories> {
  const search = new Search(tree);
  await search.insideOf(`${tree}/.git`);
  await search.directoriesOf(tree);
  for (const directory of search.found.directories) await search.insideOf(`${directory}/.git`);
  return { ...search.found, complete: search.complete };
}

class Search {
  readonly found = {
    directories: [] as string[],
    bare: [] as string[],
    worktrees: [] as string[],
    others: [] as string[],
  };
  complete = true;
  readonly #tree: string;
  readonly #stores: readonly string[];
  #looked = 0;

  constructor(tree: string) {
    this.#tree = tree;
    this.#stores = storesOf(tree);
  }

  async directoriesOf(tree: string): Promise<void> {
    let level = [tree];
    for (let depth = 0; depth <= DEEPEST && level.length > 0; depth++) {
      const next: string[] = [];
      for (const directory of level) {
        const entries = await this.#entriesOf(directory);
        if (isRepository(entries) && this.#add(this.found.bare, directory)) {
          await this.insideOf(directory);
          continue;
        }
        for (const { name, isDirectory, isFile, isSymlink } of entries) {
          if (!isDirectory && !isFile && !isSymlink) this.found.others.push(`${directory}/${name}`);
          if (name === ".git" && directory !== this.#tree) this.#add(this.found.directories, directory);
          const path = `${directory}/${name}`;
          if (name !== ".git" && isDirectory && !isGenerated(name) && !this.#stores.includes(path)) next.push(path);
        }
      }
      level = next;
    }
  }

  async insideOf(repository: string): Promise<void> {
    for (const { name, isDirectory } of await this.#entriesOf(`${repository}/worktrees`)) {
      if (isDirectory) this.#add(this.found.worktrees, `${repository}/worktrees/${name}`);
    }
    await this.#modulesIn(`${repository}/modules`, DEEPEST_NAME);
  }

  async #modulesIn(directory: string, levels: number): Promise<void> {
    for (const { name, isDirectory } of levels === 0 ? [] : await this.#entriesOf(directory)) {
      if (!isDirectory) continue;
      const path = `${directory}/${name}`;
      if (!isRepository(await this.#entriesOf(path))) await this.#modulesIn(path, levels - 1);
      else if (this.#add(this.found.bare, path)) await this.insideOf(path);
    }
  }

  #add(to: string[], path: string): boolean {
    const { directories, bare, worktrees } = this.found;
    const room = directories.length + bare.length + worktrees.length < MOST_REPOSITORIES;
    if (room) to.push(path);
    else this.complete = false;
    return room;
  }

  /** Without links to repositories that were set aside: commands may change those, and git outside finds none. */
  async #entriesOf(directory: string): Promise<readonly Deno.DirEntry[]> {
    if (this.#looked++ >= MOST_DIRECTORIES) {
      this.complete = false;
      return [];
    }
    try {
      const entries = await Array.fromAsync(Deno.readDir(directory));
      return entries.filter(({ name, isSymlink }) => !isSymlink || !isAside(`${directory}/${name}`));
    } catch (thrown) {
      if (!isExpected(thrown)) throw thrown;
      return []; // an unreadable directory holds nothing that can be found
    }
  }
}

function isAside(link: string): boolean {
  const target = expected(() => Deno.readLinkSync(link));
  return target !== undefined && setAsideAt(target) !== undefined;
}

/** As git recognizes its own. */
function isRepository(entries: readonly Deno.DirEntry[]): boolean {
  return ["HEAD", "objects", "refs"].every((wanted) => entries.some(({ name }) => name === wanted));
}

/** Directories that build tools and package managers make and remove: full of files, and no place for repositories. */
const GENERATED: readonly string[] = [".cache", ".venv", "__pycache__", "dist", "node_modules", "target", "venv"];

/** Whether a path lies in such a directory, or is one. */
export function isGenerated(path: string): boolean {
  return path.split("/").some((name) => GENERATED.includes(name));
}
