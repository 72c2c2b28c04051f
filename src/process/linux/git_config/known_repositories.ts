/**
 * Repositories that commands cannot change, and what else git outside follows there (S24): gitlinks, submodules, an
 * unfinished rebase's commands, links to write through.
 */
import type { TreeEvents } from "../../../system/changes/tree_events.ts";
import type { DirectoryEntry } from "../../../system/c_library.ts";
import { isOfGit } from "../../../sandbox/git_config/repository_form.ts";
import type { FileFacts, FileIdentity } from "../../../system/libc.ts";
import { isSameFile } from "../../../system/open_files/file_calls.ts";
import { absolutePath, expected, realPath } from "../../../system/paths.ts";
import { readRegularFile, readTextIfRegular } from "../../../system/reading/regular_file.ts";
import type { WatchingLooker } from "../../../sandbox/protect/guard_view.ts";

/** Bytes; a larger index is not read. */
const LARGEST_INDEX = 64 * 1024 * 1024;
const LARGEST_TODO = 1024 * 1024;
const LONGEST_WAY = 8192;
/** The mode of a gitlink in an index, and the name of an index part in another file. */
const GITLINK_MARKS = ["\0\0\xe0\0", "link\0"] as const;
/** Below a repository's own directory. */
const FOLLOWED = ["hooks"] as const;
/** Directories there into which git writes. */
const WRITTEN: readonly string[] = ["info", "logs", "rebase-apply", "rebase-merge", "refs", "sequencer"];
/** Directories; visiting this many takes some 60 ms. */
const MOST_WRITTEN = 4_096;
const TODO = "rebase-merge/git-rebase-todo";
const RUN_BY_REBASE = /^\s*(?:x|exec)\s.*$/gm;

/** A link: its content cannot change, but another link may get its inode number. */
type LinkFacts = Pick<FileFacts, "device" | "inode" | "changedAt">;

export interface KnownRepositoriesOptions {
  readonly looker: Pick<WatchingLooker, "lookAt">;
  readonly events: Pick<TreeEvents, "follow" | "list">;
}

/** Where git outside would go next from changed repositories. */
export interface Further {
  /** Directories for repositories of submodules, without duplicates. */
  readonly modules: readonly string[];
  /** Whether an index names repositories below its work tree, or may do so. */
  readonly hasGitlinks: boolean;
  /** Files with commands that the user's next `git rebase --continue` would run. */
  readonly told: readonly string[];
  /** Links at paths where git itself writes, which were not accepted. */
  readonly links: readonly string[];
  /** Repositories' own directories with too many entries to find all links. */
  readonly unclear: readonly string[];
}

/** What git writes to in a repository's own directory, by relative path. */
interface Written {
  readonly directories: readonly string[];
  /** Links among it. */
  readonly links: readonly string[];
  /** False: there are more directories. */
  readonly isWhole: boolean;
}

export class KnownRepositories {
  readonly #options: KnownRepositoriesOptions;
  readonly #identities = new Map<string, FileIdentity>();
  readonly #owns = new Set<string>();
  readonly #modules = new Set<string>();
  /** Lines that a rebase would run, by the file that they stand in. */
  readonly #rebases = new Map<string, string>();
  /** Links that were not made by commands, by path. */
  readonly #links = new Map<string, LinkFacts>();

  constructor(options: KnownRepositoriesOptions) {
    this.#options = options;
  }

  /** Adds the repositories of a `.git` in these directories, and `bare` ones, before the first command. */
  add(workTrees: readonly string[], bare: readonly string[]): void {
    for (const path of [...workTrees.map((directory) => `${directory}/.git`), ...bare]) {
      const facts = this.#options.looker.lookAt(path);
      if (facts === undefined) continue;
      this.#identities.set(path, facts);
      this.follow(facts.kind === "directory" ? path : ledFrom(path));
    }
  }

  /** Repositories' own directories that are followed. */
  get owns(): readonly string[] {
    return [...this.#owns];
  }

  /** Follows a repository's own directory, and gives what git writes to in it; undefined: there is none. */
  follow(own: string | undefined): Written {
    if (own === undefined) return { directories: [], links: [], isWhole: true };
    this.#owns.add(own);
    const written = writtenIn(this.#options.events, own);
    this.#options.events.follow(own, [...FOLLOWED, ...written.directories]);
    return written;
  }

  /** Accepts the current links. */
  acceptLinks(paths: readonly string[]): void {
    for (const path of paths) {
      const facts = this.#options.looker.lookAt(path);
      if (facts !== undefined) this.#links.set(path, facts);
    }
  }

  /** Whether the path still holds the same thing as before the first command. */
  isSame(path: string, now: FileIdentity | undefined): boolean {
    const known = this.#identities.get(path);
    return known !== undefined && isSameFile(now, known);
  }

  /** `followed`: repositories' own directories in which something changed. */
  look(followed: Iterable<string>): Further {
    const modules: string[] = [];
    const told: string[] = [];
    const links: string[] = [];
    const unclear: string[] = [];
    let hasGitlinks = false;
    for (const own of followed) {
      const written = this.follow(own); // also what was not there yet
      if (!written.isWhole) unclear.push(own);
      hasGitlinks ||= this.#hasGitlinks(`${own}/index`);
      const below = `${own}/modules`;
      if (!this.#modules.has(below) && this.#options.looker.lookAt(below)?.kind === "directory") {
        this.#modules.add(below);
        modules.push(below);
      }
      const todo = `${own}/${TODO}`;
      const lines = (readTextIfRegular(todo, LARGEST_TODO)?.match(RUN_BY_REBASE) ?? []).join("\n");
      if (lines !== "" && lines !== this.#rebases.get(todo)) told.push(todo);
      this.#rebases.set(todo, lines);
      const isNew = (path: string) => !isSameLink(this.#options.looker.lookAt(path), this.#links.get(path));
      links.push(...written.links.map((name) => `${own}/${name}`).filter(isNew));
    }
    return { modules, hasGitlinks, told, links, unclear };
  }

  #hasGitlinks(index: string): boolean {
    const facts = this.#options.looker.lookAt(index);
    if (facts === undefined) return false;
    // What a link leads to would change unnoticed.
    if (facts.kind !== "file") return true;
    const read = expected(() => readRegularFile(index, LARGEST_INDEX));
    if (read?.kind !== "read") return read !== undefined;
    const text = new TextDecoder("latin1").decode(read.bytes);
    return GITLINK_MARKS.some((mark) => text.includes(mark));
  }
}

function writtenIn(events: Pick<TreeEvents, "list">, own: string): Written {
  const directories: string[] = [];
  const links: string[] = [];
  const pending = [""];
  for (const below of pending) { // grows meanwhile
    const entries = events.list(`${own}/${below}`) ?? [];
    const isWritten = ({ name }: DirectoryEntry) => below !== "" || WRITTEN.includes(name);
    // Some file systems do not say what an entry is.
    const isOf = (wanted: "directory" | "link", kind: DirectoryEntry["kind"]) => kind === wanted || kind === undefined;
    const isLink = ({ name, kind }: DirectoryEntry) => isOf("link", kind) && (below !== "" || isOfGit(name));
    links.push(...entries.filter(isLink).map(({ name }) => below + name));
    const entered = entries.filter((entry) => isOf("directory", entry.kind) && isWritten(entry));
    directories.push(...entered.map(({ name }) => below + name));
    if (directories.length > MOST_WRITTEN) return { directories, links, isWhole: false };
    pending.push(...entered.map(({ name }) => `${below}${name}/`));
  }
  return { directories, links, isWhole: true };
}

function isSameLink(now: LinkFacts | undefined, known: LinkFacts | undefined): boolean {
  return known !== undefined && isSameFile(now, known) && now?.changedAt === known.changedAt;
}

/** The directory that a `.git` file leads to. */
function ledFrom(file: string): string | undefined {
  const [, led] = /^gitdir: (.+)/.exec(readTextIfRegular(file, LONGEST_WAY) ?? "") ?? [];
  return led === undefined ? undefined : realPath(absolutePath(led.trimEnd(), file.slice(0, -"/.git".length)));
}
