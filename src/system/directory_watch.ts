/** Notices changes in directories, missing ones too (by the nearest above). An event does not say what. */
import { attempt, messageOf } from "../base/errors.ts";
import { Inotify, type NamesListener } from "./inotify.ts";
import type { Logger } from "../base/log.ts";

/** What is watched, and the listener. */
export interface DirectoryWatchOptions {
  /** Absolute paths, which need not exist. */
  readonly directories: readonly string[];
  /** Lists directories below one of them that are watched too. It is called again after each event; absent: none. */
  readonly below?: ((directory: string) => readonly string[]) | undefined;
  /** Called for each relevant event, often several times for one change. */
  readonly onChange: () => void;
  readonly log: Logger;
}

interface Watched {
  readonly watch: Disposable;
  /** Device and inode: the same name may be another directory by now. */
  readonly identity: string;
}

/** Why changes go unnoticed. */
export interface WatchProblem {
  /** The directory. */
  readonly path: string;
  readonly reason: string;
}

/** Most looks in a row that began a watch; more means that a directory is exchanged all the time. */
const MOST_LOOKS = 256;

export class DirectoryWatch implements AsyncDisposable {
  readonly #options: DirectoryWatchOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #source: DirectorySource | undefined;
  #problem: WatchProblem | undefined;
  /** All directories that are watched for themselves, with those below. */
  #directories: readonly string[] = [];
  #closed = false;

  constructor(options: DirectoryWatchOptions) {
    this.#options = options;
    this.#source = this.#openSource();
    this.#updateWatches();
  }

  /** Undefined: changes are noticed. */
  get problem(): WatchProblem | undefined {
    return this.#problem;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const path of this.#watched.keys()) this.#drop(path);
    await this.#source?.[Symbol.asyncDispose]();
  }

  /** Watches what exists now, and nothing else. */
  #updateWatches(): void {
    if (this.#closed) return;
    // A change before a new watch began raised no event, so another look is needed.
    for (let looks = 0; looks < MOST_LOOKS && this.#updateOnce(); looks++);
  }

  /** Whether at least one watch began. */
  #updateOnce(): boolean {
    const wanted = new Map<string, string>();
    const { directories, below } = this.#options;
    this.#directories = below === undefined ? directories : directories.flatMap((one) => [one, ...below(one)]);
    for (const directory of this.#directories) {
      for (const path of [directory, nearestAbove(directory)]) {
        const identity = path === undefined ? undefined : identityOf(path);
        if (path !== undefined && identity !== undefined) wanted.set(path, identity);
      }
    }
    for (const [path, { identity }] of this.#watched) if (wanted.get(path) !== identity) this.#drop(path);
    const added = [...wanted].filter(([path]) => !this.#watched.has(path));
    return added.filter(([path, identity]) => this.#add(path, identity)).length > 0;
  }

  /** Whether it is watched now. */
  #add(path: string, identity: string): boolean {
    if (this.#source === undefined) return false;
    try {
      const watch = this.#source.watch(path, (names, isOver) => this.#onEvent(path, names, isOver));
      this.#watched.set(path, { watch, identity });
      return true;
    } catch (thrown) {
      // The directory is gone again, or the system's limit of watches is reached.
      if (identityOf(path) === identity) this.#reportUnwatched(path, thrown);
      return false;
    }
  }

  /** Undefined: nothing is noticed. */
  #openSource(): DirectorySource | undefined {
    const { log, directories } = this.#options;
    if (Deno.build.os !== "linux") return new RuntimeSource(log);
    try {
      return new Inotify();
    } catch (thrown) {
      this.#reportUnwatched(directories[0] ?? "", thrown);
      return undefined;
    }
  }

  #reportUnwatched(path: string, thrown: unknown): void {
    this.#problem = { path, reason: messageOf(thrown) };
    this.#options.log.warn("Cannot watch a directory for changes", { path, error: messageOf(thrown) });
  }

  #drop(path: string): void {
    this.#watched.get(path)?.watch[Symbol.dispose]();
    this.#watched.delete(path);
  }

  #onEvent(path: string, names: readonly string[] | undefined, isOver: boolean): void {
    if (isOver) this.#drop(path);
    if (this.#closed || names !== undefined && !this.#matters(path, names)) return;
    this.#updateWatches();
    this.#options.onChange();
  }

  /** Whether an event is relevant: any name in a watched directory counts, above it only names on its path. */
  #matters(path: string, names: readonly string[]): boolean {
    if (this.#directories.includes(path)) return true;
    const above = path === "/" ? "" : path;
    return names.some((name) =>
      name === "" ||
      this.#options.directories.some((one) => one === `${above}/${name}` || one.startsWith(`${above}/${name}/`))
    );
  }
}

/** Source of change events. */
interface DirectorySource extends AsyncDisposable {
  /** @throws Error when the directory cannot be watched. */
  watch(directory: string, listener: NamesListener): Disposable;
}

/** Without inotify: the runtime's watch. */
class RuntimeSource implements DirectorySource {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  watch(directory: string, listener: NamesListener): Disposable {
    const watcher = Deno.watchFs(directory, { recursive: false });
    void this.#follow({ directory, watcher, listener });
    return { [Symbol.dispose]: () => watcher.close() };
  }

  async #follow({ directory, watcher, listener }: Followed): Promise<void> {
    try {
      for await (const { kind, paths } of watcher) {
        if (kind === "access") continue;
        const names = paths.map((path) => path === directory ? "" : path.slice(path.lastIndexOf("/") + 1));
        listener(names, kind === "remove" && names.includes(""));
      }
    } catch (thrown) {
      this.#log.warn("Stopped watching a directory", { path: directory, error: messageOf(thrown) });
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

interface Followed {
  readonly directory: string;
  readonly watcher: Deno.FsWatcher;
  readonly listener: NamesListener;
}

/** The closest existing directory above `path`; undefined for the root. */
function nearestAbove(path: string): string | undefined {
  for (let above = path; above !== "";) {
    above = above.slice(0, above.lastIndexOf("/"));
    const candidate = above === "" ? "/" : above;
    if (candidate !== path && identityOf(candidate) !== undefined) return candidate;
  }
  return undefined;
}

function identityOf(path: string): string | undefined {
  const found = attempt(Error, () => Deno.statSync(path));
  return found?.isDirectory === true ? `${found.dev}:${found.ino}` : undefined;
}
