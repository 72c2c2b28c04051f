/** Opens all paths of calls, below pinned directories and through no link. The kernel confines the worker too. */
import { lazy } from "../../base/lazy.ts";
import { UserError } from "../../base/errors.ts";
import { DEFAULT_DIRECTORIES, type ProjectDirectories } from "../../settings/project_directories.ts";
import { FileCalls, type OpenFiles, type Stat } from "../../system/open_files/file_calls.ts";
import { Libc } from "../../system/libc.ts";
import { openScope, type Scope } from "../../system/path_scope.ts";
import { absolutePath, expected, isWithin, parentOf, realPath } from "../../system/paths.ts";
import { nearNames } from "./near_names.ts";
import { SeenContents } from "./seen_contents.ts";
import { type Place, Tree } from "../../system/tree/tree.ts";
import type { WorkerSetup } from "../frame/messages.ts";

/** A regular file that is open for reading. */
export interface OpenFile extends Disposable {
  readonly place: Place;
  readonly stat: Stat;
  /** See `Project.seen`. */
  readonly seen: SeenContents;
  /** Reads into `buffer` from byte `position`; the number of bytes, 0 at the end. @throws {UserError} When it fails. */
  readAt(buffer: Uint8Array<ArrayBuffer>, position: number): number;
}

/** How often a path is resolved if it changes meanwhile. */
const MOST_TRIES = 3;

export class Project implements Disposable {
  readonly setup: WorkerSetup;
  /** Recently read or written contents. */
  readonly seen: SeenContents = new SeenContents();
  readonly #readable: () => Promise<Scope>;
  readonly #writable: () => Promise<Scope>;
  readonly #kept = new Map<unknown, unknown>();
  #isSpent = false;
  readonly #libraries = new DisposableStack();
  readonly #calls = lazy(() => this.#libraries.use(new FileCalls()));
  readonly #libc = lazy(() => this.#libraries.use(new Libc()));

  constructor(setup: WorkerSetup) {
    this.setup = setup;
    this.#readable = lazy(() => openScope(this.#roots));
    this.#writable = lazy(() => openScope([...setup.scopes, ...setup.writable]));
  }

  /** State shared by calls while the worker lives, such as parsers; made at first use. */
  kept<Value>(Kind: new (project: Project) => Value): Value {
    const value = this.#kept.get(Kind) ?? new Kind(this);
    this.#kept.set(Kind, value);
    return value as Value; // made of this kind above
  }

  get #roots(): readonly string[] {
    const { scopes, writable, readable } = this.setup;
    return [...scopes, ...writable, ...readable];
  }

  /** Whether the worker ends as soon as its calls are answered. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** Marks shared state as damaged, so that another worker replaces this one. */
  spend(): void {
    this.#isSpent = true;
  }

  /** The first directory of the project, which relative paths refer to. */
  get directory(): string {
    return this.setup.scopes[0] ?? "/";
  }

  /** The directories of notes and rules, relative to `directory`. */
  get directories(): ProjectDirectories {
    return this.setup.directories ?? DEFAULT_DIRECTORIES;
  }

  /** Resolves `path`, which need not exist. @throws {UserError} When it is outside the directories for the purpose. */
  async resolve(path: string, purpose: "read" | "write" = "read"): Promise<Place> {
    const scope = await (purpose === "read" ? this.#readable() : this.#writable());
    const found = await scope.contains(path, this.directory);
    if (found.ok) return this.placeOf(found.value);
    const place = this.#configPlace(path, purpose);
    if (place === undefined) throw new UserError(found.problem);
    return place;
  }

  /** The place of git's configuration: its copy for reading, the file itself for a change, which is then denied. */
  #configPlace(given: string, purpose: "read" | "write"): Place | undefined {
    const { configCopies: copies } = this.setup;
    const path = absolutePath(given, this.directory);
    const copy = copies === undefined ? undefined : realPath(path);
    if (copies === undefined || copy === undefined || !isWithin(copy, copies)) return undefined;
    const place = this.placeOf(path);
    return purpose === "read" ? { path: copy, shown: place.shown, root: copies } : place;
  }

  /** The place of a real path that is known to be inside. */
  placeOf(path: string): Place {
    const root = this.#roots.find((one) => isWithin(path, one)) ?? this.directory;
    const shown = isWithin(path, this.directory) ? path.slice(this.directory.length + 1) || "." : path;
    return { path, shown, root };
  }

  /** Opens a regular file, and never waits on a pipe. @throws {UserError} When there is none, or it may not be read. */
  async open(path: string): Promise<OpenFile> {
    for (let tries = 1;; tries++) {
      const place = await this.resolve(path);
      const opened = this.#open(place);
      if (opened !== undefined) return opened;
      await this.#explain(place, path);
      if (tries === MOST_TRIES) throw new UserError(`Cannot read "${place.shown}": it changes while it is opened`);
    }
  }

  /** Opens a tree; dispose of it soon. @throws {UserError} When there is none, or it may not be read. */
  async tree(path: string): Promise<Tree> {
    for (let tries = 1;; tries++) {
      const place = await this.resolve(path);
      const tree = this.#tree(place);
      if (tree !== undefined) return tree;
      await this.#explain(place, path);
      const what = await Deno.stat(place.path).then(({ isDirectory }) =>
        isDirectory ? undefined : "it is not a directory"
      );
      if (what !== undefined || tries === MOST_TRIES) {
        throw new UserError(`Cannot list "${place.shown}": ${what ?? "it changes while it is opened"}`);
      }
    }
  }

  /** Whether `path` leads to a file, without opening it. @throws {UserError} As `resolve`. */
  async isFile(path: string): Promise<boolean> {
    const place = await this.resolve(path);
    return expected(() => Deno.statSync(place.path))?.isFile === true;
  }

  /** Calls that reach files by the descriptor of their directory; dispose of them soon. */
  begin(): OpenFiles {
    return this.#calls().begin();
  }

  /** The directory of a place, opened through no link; undefined: it is missing, or the path has changed since. */
  directoryOf(files: OpenFiles, { path, root }: Place): number | undefined {
    const parent = parentOf(path);
    const tree = this.#libc().identityOf(root);
    return tree && files.directory({ path: root, ...tree }, parent === root ? "." : parent.slice(root.length + 1));
  }

  /** Unloads what was loaded of the C library. */
  [Symbol.dispose](): void {
    this.#libraries.dispose();
  }

  #tree(place: Place): Tree | undefined {
    const { path, root } = place;
    if (Deno.build.os !== "linux") return undefined;
    using stack = new DisposableStack();
    const files = stack.use(this.begin());
    const pinned = this.#libc().identityOf(root);
    const directory = pinned && files.directory({ path: root, ...pinned }, ".");
    if (directory === undefined) return undefined;
    const from = path === root ? "" : path.slice(root.length + 1);
    if (files.directoryBelow(directory, from || ".") === undefined) return undefined;
    const opened = stack.move();
    return new Tree({ place, from, files, directory, end: () => opened.dispose() });
  }

  #open(place: Place): OpenFile | undefined {
    if (Deno.build.os !== "linux") return undefined;
    if (place.path === place.root) throw isDirectory(place);
    using stack = new DisposableStack();
    const files = stack.use(this.begin());
    const parent = this.directoryOf(files, place);
    const fd = parent && files.open(parent, place.path.slice(parentOf(place.path).length + 1));
    if (fd === undefined) return undefined;
    const stat = files.stat(fd, "");
    if (stat === undefined) return undefined;
    if (stat.kind === "directory") throw isDirectory(place);
    if (stat.kind !== "file") throw new UserError(`Cannot read "${place.shown}": it is not a regular file`);
    const opened = stack.move();
    return {
      place,
      stat,
      seen: this.seen,
      readAt(buffer, position) {
        const length = files.readAt(fd, buffer, position);
        if (length === undefined) throw new UserError(`Cannot read "${place.shown}": the system refuses it`);
        return length;
      },
      [Symbol.dispose]: () => opened.dispose(),
    };
  }

  /** @throws {UserError} With the file system's reason; returns if the file exists. */
  async #explain({ path, shown }: Place, given: string): Promise<void> {
    try {
      // Opening a pipe could block.
      if (!(await Deno.stat(path)).isFile) return;
      using _ = await Deno.open(path);
    } catch (thrown) {
      if (thrown instanceof Deno.errors.NotFound) {
        throw new UserError(`Cannot find "${given}" in "${this.directory}"${await nearNames(path)}`);
      }
      if (thrown instanceof Deno.errors.PermissionDenied) {
        throw new UserError(`Cannot read "${shown}": the sandbox or its permissions keep it closed`);
      }
      throw thrown;
    }
  }
}

function isDirectory({ shown }: Place): UserError {
  return new UserError(`Cannot read "${shown}": it is a directory; files_list lists it`);
}
