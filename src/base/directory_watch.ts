/**
 * Notices changes in directories, also in those that do not exist yet: where one is missing, the nearest directory
 * above it is watched for its appearance. Tells only that something changed; what, the listener finds out by looking.
 */
import { messageOf } from "./errors.ts";
import type { Logger } from "./log.ts";

/** What is watched, and who is told. */
export interface DirectoryWatchOptions {
  /** Absolute paths; they may be missing, appear, and go again. */
  readonly directories: readonly string[];
  /** Called for each event that may matter; often several times for one change. */
  readonly onChange: () => void;
  readonly log: Logger;
}

interface Watched {
  readonly watcher: Deno.FsWatcher;
  /** Device and inode: the same name may be another directory by now. */
  readonly identity: string;
}

export class DirectoryWatch implements Disposable {
  readonly #options: DirectoryWatchOptions;
  readonly #watched = new Map<string, Watched>();
  #closed = false;

  constructor(options: DirectoryWatchOptions) {
    this.#options = options;
    this.#arm();
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    for (const path of this.#watched.keys()) this.#drop(path);
  }

  /** Watches what exists now, and nothing else. */
  #arm(): void {
    if (this.#closed) return;
    const wanted = new Map<string, string>();
    for (const directory of this.#options.directories) {
      for (const path of [directory, nearestAbove(directory)]) {
        const identity = path === undefined ? undefined : identityOf(path);
        if (path !== undefined && identity !== undefined) wanted.set(path, identity);
      }
    }
    for (const [path, { identity }] of this.#watched) if (wanted.get(path) !== identity) this.#drop(path);
    for (const [path, identity] of wanted) if (!this.#watched.has(path)) this.#add(path, identity);
  }

  #add(path: string, identity: string): void {
    try {
      const watcher = Deno.watchFs(path, { recursive: false });
      this.#watched.set(path, { watcher, identity });
      void this.#follow(path, watcher);
    } catch (thrown) {
      // Gone again, or the system's limit of watches: the tools stay as they are, and the log says so.
      this.#options.log.warn("Cannot watch a directory for changes", { path, error: messageOf(thrown) });
    }
  }

  #drop(path: string): void {
    this.#watched.get(path)?.watcher.close();
    this.#watched.delete(path);
  }

  async #follow(path: string, watcher: Deno.FsWatcher): Promise<void> {
    try {
      for await (const event of watcher) {
        if (event.kind === "access" || !this.#matters(path, event.paths)) continue;
        this.#arm();
        this.#options.onChange();
      }
    } catch (thrown) {
      this.#options.log.warn("Stopped watching a directory", { path, error: messageOf(thrown) });
    }
  }

  /** Everything in a directory that is watched for itself; above it only what lies on the way. */
  #matters(path: string, changed: readonly string[]): boolean {
    const { directories } = this.#options;
    if (directories.includes(path)) return true;
    return changed.some((one) =>
      directories.some((directory) => directory === one || directory.startsWith(`${one}/`) || one === path)
    );
  }
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
  try {
    const { isDirectory, dev, ino } = Deno.statSync(path);
    return isDirectory ? `${dev}:${ino}` : undefined;
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
