/**
 * Repositories that appear while commands run (S24): git outside would run their hooks. A plain one stays; all others
 * are set aside until a person accepts them.
 */
import type { ProtectedChange } from "../../../base/command/protected_change.ts";
import { type Obeyed, obeyedIn } from "../../../sandbox/git_config/repository_form.ts";
import { isInStore } from "../../../sandbox/git_config/set_aside_places.ts";
import type { FoundRepositories } from "../../../sandbox/protect/nested_repositories.ts";
import type { PinnedDirectory } from "../../../sandbox/policy/policy.ts";
import type { FileCalls, OpenFiles } from "../../../system/open_files/file_calls.ts";
import { type Appeared, type TreeEvents, Turns } from "../../../system/changes/tree_events.ts";
import { isWithin, parentOf } from "../../../system/paths.ts";
import type { ConfigEditor } from "./edit_config.ts";
import type { AcceptedRepositories } from "./accepted_repositories.ts";
import type { Further, KnownRepositories } from "./known_repositories.ts";
import { isAside, isThere, repositoryEntries, stateOf } from "./repository_facts.ts";
import type { SetAside, TreePlace } from "./set_aside.ts";

/** Commands may run during the check; the next check then finds the rest. */
const MOST_TRIES = 3;

export interface MadeRepositoriesOptions {
  /** Canonical trees that commands can write to. */
  readonly trees: readonly PinnedDirectory[];
  /** Paths that a person has opened to commands. */
  readonly open: readonly string[];
  readonly calls: Pick<FileCalls, "begin">;
  readonly editor: Pick<ConfigEditor, "entriesOf">;
  readonly events: Pick<TreeEvents, "add" | "explore" | "follow" | "look" | "leaveOutNothing" | "isComplete">;
  readonly known: KnownRepositories;
  /** Of the person. */
  readonly accepted: Pick<AcceptedRepositories, "has">;
  readonly setAside: Pick<SetAside, "put" | "guard" | "clean">;
}

/** A repository that was found: its own directory, or what leads to it. */
interface Met {
  readonly path: string;
  /** Changes if another repository takes the path. */
  readonly id: string;
  readonly place: TreePlace;
  /** What git would act on; empty: nothing. */
  readonly obeyed: readonly Obeyed[];
}

/** `quiet`: no command ran since the last time, so other programs made these repositories. */
interface How {
  readonly quiet: boolean;
}

export class MadeRepositories {
  readonly #options: MadeRepositoriesOptions;
  /** What git acted on in each repository before commands changed it, by `id` and name. */
  readonly #accepted = new Map<string, ReadonlyMap<string, string>>();
  readonly #told = new Set<string>();
  readonly #kept = new Set<string>();
  /** New paths that were not checked yet. */
  readonly #due: { readonly appeared: Appeared; readonly how: How }[] = [];
  #running = 0;
  #settling: Promise<readonly ProtectedChange[]> = Promise.resolve([]);

  constructor(options: MadeRepositoriesOptions) {
    this.#options = options;
  }

  /** False: there are more directories than can be watched, and repositories in these are not found. */
  get isComplete(): boolean {
    return this.#options.events.isComplete;
  }

  /** Work trees of repositories that appeared and stay: git outside obeys what is in them. */
  get kept(): ReadonlySet<string> {
    return this.#kept;
  }

  /** Accepts the repositories that exist before the first command; others cannot be changed through their paths. */
  async begin({ directories, bare }: Pick<FoundRepositories, "directories" | "bare">): Promise<void> {
    const { trees, events, known, setAside } = this.#options;
    for (const tree of trees) setAside.clean(tree, Date.now());
    const workTrees = [...trees.map(({ path }) => path), ...directories];
    known.add(workTrees, bare);
    for (const { path } of trees) await events.add(path);
    const there = known.look(known.owns);
    known.acceptLinks(there.links);
    for (const path of there.modules) await events.add(path);
    await this.settle({ quiet: true });
  }

  /** Sets aside all but plain ones; returns them once. Undefined: nothing changed, and none is being set aside. */
  settle(how: How): Promise<readonly ProtectedChange[]> | undefined {
    this.#take(how);
    if (this.#due.length === 0 && this.#running === 0) return undefined;
    this.#running++;
    const turn = () => this.#settleAll(how).finally(() => this.#running--);
    return this.#settling = this.#settling.then(turn, turn);
  }

  #take(how: How): void {
    const appeared = this.#options.events.look();
    if (appeared !== undefined) this.#due.push({ appeared, how });
  }

  async #settleAll(how: How): Promise<readonly ProtectedChange[]> {
    const changes: ProtectedChange[] = [];
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      await this.#explore(how);
      // All of it: places that the system does not watch appear at each scan, and must not delay new ones.
      if (this.#due.length === 0) return changes;
      for (const next of this.#due.slice()) {
        changes.push(...await this.#settleAppeared(next.appeared, next.how));
        this.#due.shift(); // stays due where the look fails
      }
    }
    // Otherwise, earlier changes of commands would later be taken for those of other programs.
    await this.#explore(how);
    return changes;
  }

  async #explore(how: How): Promise<void> {
    this.#take(how);
    await this.#options.events.explore();
    this.#take(how);
  }

  async #settleAppeared(
    { directories, followed, unclear }: Appeared,
    how: How,
  ): Promise<readonly ProtectedChange[]> {
    const { events, known } = this.#options;
    const changes: ProtectedChange[] = [];
    if (!events.isComplete) {
      changes.push(...this.#options.trees.flatMap(({ path }) => this.#tellOnce({ path, change: "unwatched" }, how)));
    }
    for (const path of unclear) changes.push(...this.#tellOnce({ path, change: "unwatched" }, how));
    const entered = new Set([...directories, ...Array.from(followed, workTreeOf)]);
    const met = new Set(followed);
    const turns = new Turns();
    for (const directory of entered) {
      changes.push(...await this.#settleDirectory(directory, how, met));
      await turns.end();
    }
    for (const own of met) {
      changes.push(...await this.#settleFurther(known.look([own]), how));
      await turns.end();
    }
    return changes;
  }

  async #settleFurther(
    { links, told, modules, hasGitlinks, unclear }: Further,
    how: How,
  ): Promise<readonly ProtectedChange[]> {
    const { events, known } = this.#options;
    const changes = unclear.flatMap((path) => this.#tellOnce({ path, change: "unwatched" }, how));
    if (how.quiet) known.acceptLinks(links);
    else {
      changes.push(...told.map((path): ProtectedChange => ({ path, change: "obeyed" })));
      changes.push(...links.flatMap((path) => this.#removeLink(path, how)));
    }
    for (const path of modules) await events.add(path);
    if (hasGitlinks) await events.leaveOutNothing();
    return changes;
  }

  /** `seen` gets the repositories found: their contents may lead git further. */
  async #settleDirectory(directory: string, how: How, seen: Set<string>): Promise<readonly ProtectedChange[]> {
    const changes: ProtectedChange[] = [];
    for (const { path, id, place, obeyed } of await this.#meetIn(directory)) {
      seen.add(path);
      if (how.quiet) this.#accepted.set(id, new Map(obeyed.map(({ name, state }) => [name, state])));
      const before = this.#accepted.get(id);
      const unwanted = obeyed.filter(({ name, state }) => before?.get(name) !== state);
      if (unwanted.length === 0 || this.#options.accepted.has(path, unwanted)) {
        if (place.name === ".git" && place.directory !== ".") this.#kept.add(directory);
        continue;
      }
      const isDone = this.#options.setAside.put(place);
      const keys = unwanted.map(({ name }) => name);
      if (isDone) changes.push({ path, change: "set_aside", keys });
      else changes.push(...this.#tellOnce({ path, change: "obeyed", keys }, how));
    }
    return changes;
  }

  /** Git outside would write to where the link leads. */
  #removeLink(path: string, how: How): readonly ProtectedChange[] {
    const { trees, open, calls } = this.#options;
    const tree = trees.find((one) => isWithin(path, one.path));
    if (tree === undefined || open.some((one) => isWithin(path, one))) return [];
    using files = calls.begin();
    const name = path.slice(path.lastIndexOf("/") + 1);
    const at = files.directory(tree, parentOf(path).slice(tree.path.length + 1));
    const stat = at === undefined ? undefined : files.stat(at, name);
    if (at === undefined || stat === undefined || stat.kind !== "link") return [];
    if (isAside(files, at, name)) return []; // leads nowhere outside
    return files.unlink(at, name) ? [{ path, change: "unlinked" }] : this.#tellOnce({ path, change: "obeyed" }, how);
  }

  #tellOnce(change: ProtectedChange, { quiet }: How): readonly ProtectedChange[] {
    const told = JSON.stringify(change);
    if (this.#told.has(told)) return [];
    this.#told.add(told);
    return quiet ? [] : [change];
  }

  /** What git finds when it enters the directory: through a `.git`, or because the directory is a repository itself. */
  async #meetIn(directory: string): Promise<readonly Met[]> {
    const { trees, open, calls, known } = this.#options;
    const tree = trees.find((one) => isWithin(directory, one.path));
    if (tree === undefined) return [];
    const below = directory.slice(tree.path.length + 1) || ".";
    if (isInStore(directory, tree.path)) {
      this.#options.setAside.guard(tree, below);
      return [];
    }
    using files = calls.begin();
    const at = files.directory(tree, below);
    if (at === undefined) return [];
    const met: Met[] = [];
    const isOpen = (path: string) => open.some((one) => isWithin(path, one));
    const path = `${directory}/.git`;
    if (!isOpen(path) && !known.isSame(path, files.stat(at, ".git"))) {
      const obeyed = await this.#obeyedAt(files, at, path);
      const id = `${files.identity(at, ".git")} ${path}`;
      if (obeyed !== undefined) met.push({ path, id, place: { tree, directory: below, name: ".git" }, obeyed });
    }
    const leading = leadingName(files, at);
    if (leading !== undefined && !isOpen(directory) && !known.isSame(directory, files.stat(at, ""))) {
      const obeyed = await this.#obeyedIn(files, at, "", directory);
      const id = `${files.identity(at, "")} ${directory}`;
      met.push({ path: directory, id, place: { tree, directory: below, name: leading }, obeyed });
    }
    return met;
  }

  /** Undefined: git finds nothing through it. */
  async #obeyedAt(files: OpenFiles, at: number, path: string): Promise<readonly Obeyed[] | undefined> {
    const stat = files.stat(at, ".git");
    if (stat === undefined) return undefined;
    const { kind } = stat;
    if (kind === "directory") return await this.#obeyedIn(files, at, ".git", path);
    if (kind === "link" && isAside(files, at, ".git")) return undefined;
    return [{ name: ".git", state: stateOf(stat) }];
  }

  /** Of the repository `name` in the directory `at`, whose path is `own`. */
  async #obeyedIn(files: OpenFiles, at: number, name: string, own: string): Promise<readonly Obeyed[]> {
    const { known, editor } = this.#options;
    known.follow(own); // first: what changes while it is read is seen by the next look
    const found = repositoryEntries(files, at, name);
    if (found === undefined) return [{ name: "all of it", state: "" }];
    const config = found.config && await editor.entriesOf(found.config);
    const isWorkTree = (path: string) => this.#mayBeWorkTree(path, own);
    return obeyedIn({ ...found, config, isOwn: name === "", place: { directory: own, isWorkTree } });
  }

  /** A repository's own work tree, or of a submodule's any in the trees: its place alone makes git run nothing. */
  #mayBeWorkTree(path: string, own: string): boolean {
    if (own.endsWith("/.git")) return path === parentOf(own);
    return own.includes("/.git/modules/") &&
      this.#options.trees.some((tree) => path !== tree.path && isWithin(path, tree.path));
  }
}

/** Where a followed repository is met. */
function workTreeOf(own: string): string {
  return own.endsWith("/.git") ? parentOf(own) : own;
}

/** The entry without which git does not see a repository here; undefined: git does not see one anyway. */
function leadingName(files: OpenFiles, at: number): "commondir" | "refs" | undefined {
  if (files.stat(at, "HEAD") === undefined) return undefined;
  if (isThere(files, at, "commondir")) return "commondir";
  return isThere(files, at, "objects") && isThere(files, at, "refs") ? "refs" : undefined;
}
