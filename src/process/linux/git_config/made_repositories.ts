/**
 * Repositories that commands make below others (S24). Git outside looks into each that an index names (a gitlink): one
 * `git status` runs what its configuration says. No mount can hold back what is not there yet, so the server takes out
 * of it what is not harmless, after each command and before its result.
 */
import type { ProtectedChange } from "../../../base/command/protected_change.ts";
import { attempt } from "../../../base/errors.ts";
import type { ConfigEntries } from "../../../sandbox/git_config/config_entries.ts";
import { unwantedKeys } from "../../../sandbox/git_config/made_config.ts";
import type { PinnedDirectory } from "../../../sandbox/policy/policy.ts";
import type { WatchingLooker } from "../../../sandbox/protect/guard_view.ts";
import type { FileCalls } from "../../../system/open_files/file_calls.ts";
import type { ChangeWatch } from "../../../system/stat_watch.ts";
import { absolutePath, isWithin, normalPath, parentOf, realPath } from "../../../system/paths.ts";
import { readTextIfRegular } from "../../../system/reading/regular_file.ts";
import { type ConfigPlace, readConfig, replaceConfig } from "./config_files.ts";
import type { ConfigEditor } from "./edit_config.ts";
import type { GitlinkQuery } from "./gitlink_query.ts";

const MOST_REPOSITORIES = 128;
/** Commands may go on while they are looked at; the next look then finds the rest. */
const MOST_TRIES = 3;
/** The kernel's clock ticks, some in 10 ms. */
const TICK_MS = 100;
/** Bytes; what a larger one names is asked of git. */
const LARGEST_INDEX = 64n * 1024n * 1024n;
/** Of a file that leads to a repository, or from one to another. */
const LONGEST_WAY = 8192;
const CONFIG_NAMES = ["config", "config.worktree"] as const;

export interface MadeRepositoriesOptions {
  /** Canonical trees that commands can write to. */
  readonly trees: readonly PinnedDirectory[];
  /** Paths that a person has opened to commands. */
  readonly open: readonly string[];
  readonly calls: Pick<FileCalls, "begin">;
  readonly looker: Pick<WatchingLooker, "lookAt" | "watch">;
  readonly editor: Pick<ConfigEditor, "entriesOf" | "edited">;
  readonly query: Pick<GitlinkQuery, "below">;
}

/** A repository that an index names. */
interface Named {
  readonly workTree: string;
  /** Canonical directories that may hold its configuration. */
  readonly directories: readonly string[];
}

interface Scan {
  readonly named: Named[];
  /** What decides about it, and the configuration itself. */
  readonly paths: string[];
  /** Repositories of which not everything can be told. */
  readonly unclear: string[];
}

export class MadeRepositories {
  readonly #options: MadeRepositoriesOptions;
  /** Work trees that were there before the first command, and the configuration that no command can write. */
  #known: readonly string[] = [];
  #held: ReadonlySet<string> = new Set();
  /** What stood in each configuration when commands had no part in it, or when all of it was harmless. */
  readonly #accepted = new Map<string, ConfigEntries>();
  readonly #told = new Set<string>();
  /** Trees at whose top there is a repository. */
  readonly #had = new Set<string>();
  #begun = false;
  /** When the last change was seen. */
  #changedAt = -TICK_MS;
  #watch: { readonly key: string; readonly changes: ChangeWatch } | undefined;
  #settling: Promise<readonly ProtectedChange[]> = Promise.resolve([]);

  constructor(options: MadeRepositoriesOptions) {
    this.#options = options;
  }

  /** Adds repositories that were there before the first command; `held`: their configuration, as commands see it. */
  add(workTrees: readonly string[], held: readonly string[]): void {
    this.#known = [...this.#known, ...workTrees];
    this.#held = new Set([...this.#held, ...held.filter((path) => this.#options.looker.lookAt(path) !== undefined)]);
  }

  /**
   * Takes out what is not harmless; gives what that was. `quiet`: no command ran since the last time, so that others have
   * changed what was known before. Undefined: nothing changed.
   */
  settle({ quiet }: { readonly quiet: boolean }): Promise<readonly ProtectedChange[]> | undefined {
    const now = performance.now();
    // What changes once more in the same tick of the kernel's clock looks unchanged: one more look follows.
    if (this.#watch?.changes.isUnchanged() !== true) this.#changedAt = now;
    else if (now > this.#changedAt + TICK_MS) return undefined;
    return this.#settling = this.#settling.then(() => this.#settleAll(quiet));
  }

  async #settleAll(quiet: boolean): Promise<readonly ProtectedChange[]> {
    const changes: ProtectedChange[] = [];
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const scan = await this.#scan(quiet);
      for (const path of scan.unclear) changes.push(...this.#tellOnce(path));
      for (const one of scan.named) changes.push(...await this.#settleOne(one, quiet));
      const key = scan.paths.join("\0");
      if (this.#watch?.key === key) {
        if (this.#watch.changes.isUnchanged()) break;
        continue;
      }
      this.#watch?.changes.close?.();
      this.#watch = { key, changes: this.#options.looker.watch(scan.paths) };
      this.#watch.changes.isUnchanged(); // the look to compare with
    }
    return changes;
  }

  async #scan(quiet: boolean): Promise<Scan> {
    const scan: Scan = { named: [], paths: [], unclear: [] };
    const { paths, unclear } = scan;
    const tops = new Set([...this.#options.trees.map(({ path }) => path), ...this.#known]);
    for (const top of tops) {
      paths.push(`${top}/.git`);
      const git = this.#gitDirectory(top);
      if (git === undefined) continue;
      paths.push(`${git}/index`);
      if (this.#isNewAt(top, quiet)) this.#name(top, git, scan);
      const index = realPath(`${git}/index`);
      if (index === undefined) continue;
      paths.push(index);
      const { links, complete } = await this.#options.query.below(top, this.#bytesOf(index));
      const room = MOST_REPOSITORIES - tops.size;
      if (!complete || links.length > room) unclear.push(`${git}/index`);
      for (const link of links.slice(0, Math.max(0, room))) {
        const workTree = normalPath(`${top}/${link}`);
        const below = this.#gitDirectory(workTree);
        tops.add(workTree);
        if (below !== undefined) this.#name(workTree, below, scan);
      }
    }
    this.#begun = true;
    return scan;
  }

  /** Whether the repository at the top of a tree came while commands ran. From now on its configuration is protected. */
  #isNewAt(top: string, quiet: boolean): boolean {
    if (this.#known.includes(top) || this.#had.has(top)) return false;
    if (this.#options.trees.some(({ path }) => path === top)) this.#had.add(top);
    return this.#begun && !quiet && this.#had.has(top);
  }

  #name(workTree: string, git: string, { named, paths }: Scan): void {
    if (!this.#isInside(git)) return;
    const directories = [...new Set([git, this.#commonDirectory(git)])];
    paths.push(`${git}/commondir`);
    for (const directory of directories) paths.push(...CONFIG_NAMES.map((name) => `${directory}/${name}`));
    named.push({ workTree, directories });
  }

  async #settleOne({ workTree, directories }: Named, quiet: boolean): Promise<readonly ProtectedChange[]> {
    const changes: ProtectedChange[] = [];
    for (const path of directories.flatMap((directory) => CONFIG_NAMES.map((name) => `${directory}/${name}`))) {
      const facts = this.#options.looker.lookAt(path);
      const real = facts?.kind === "link" ? realPath(path) : path;
      if (facts === undefined || real === undefined || this.#held.has(real) || !this.#isInside(real)) continue;
      if (this.#options.open.some((one) => isWithin(path, one))) continue;
      const keys = await this.#takeOut({ path: real, workTree, directory: parentOf(path) }, quiet);
      if (keys === undefined) changes.push(...this.#tellOnce(path));
      else if (keys.length > 0) changes.push({ path, change: "taken_out", keys });
    }
    return changes;
  }

  /** Keys that were taken out of a configuration; undefined: it could not be done. */
  async #takeOut(
    { path, workTree, directory }: { readonly path: string; readonly workTree: string; readonly directory: string },
    quiet: boolean,
  ): Promise<readonly string[] | undefined> {
    const { calls, editor } = this.#options;
    const place = this.#placeOf(path);
    if (place === undefined) return undefined;
    using files = calls.begin();
    const now = readConfig(files, place);
    if (now === undefined) return undefined;
    const entries = await editor.entriesOf(now.content);
    if (entries === undefined) return []; // git obeys nothing of what it cannot read
    const known = this.#accepted.get(path);
    const accepted: ConfigEntries = quiet && known !== undefined ? entries : known ?? new Map();
    const unwanted = unwantedKeys(entries, { workTree, directory, accepted });
    if (unwanted.length > 0) {
      const kept = (key: string) => (accepted.get(key) ?? []).filter((value) => value !== undefined);
      const content = await editor.edited(now.content, unwanted.map((key) => ({ key, values: kept(key) })));
      const left = content && await editor.entriesOf(content);
      const isClean = left !== undefined && unwantedKeys(left, { workTree, directory, accepted }).length === 0;
      if (!isClean || !replaceConfig(files, place, content ?? new Uint8Array())) return undefined;
      this.#accepted.set(path, left);
    } else this.#accepted.set(path, entries);
    return unwanted;
  }

  #tellOnce(path: string): readonly ProtectedChange[] {
    if (this.#told.has(path)) return [];
    this.#told.add(path);
    return [{ path, change: "obeyed" }];
  }

  #placeOf(path: string): ConfigPlace | undefined {
    const tree = this.#options.trees.find((one) => isWithin(path, one.path));
    if (tree === undefined) return undefined;
    const below = parentOf(path).slice(tree.path.length + 1);
    return { tree, directory: below === "" ? "." : below, name: path.slice(path.lastIndexOf("/") + 1) };
  }

  /** The repository that git finds from the top of a work tree, canonical; undefined: none. */
  #gitDirectory(workTree: string): string | undefined {
    const real = realPath(`${workTree}/.git`);
    if (real === undefined) return undefined;
    const led = attempt(Error, () => Deno.statSync(real).isDirectory) ? real : wayFrom(real, /^gitdir: (.+)/, workTree);
    return led;
  }

  /** Of an index, by its canonical path; undefined where they are too many, or cannot be read here. */
  #bytesOf(index: string): Uint8Array<ArrayBuffer> | undefined {
    const place = this.#placeOf(index);
    if (place?.name === undefined) return undefined;
    using files = this.#options.calls.begin();
    const at = files.directory(place.tree, place.directory);
    const fd = at === undefined ? undefined : files.open(at, place.name);
    const stat = fd === undefined ? undefined : files.stat(fd, "");
    return fd === undefined || stat === undefined || stat.size > LARGEST_INDEX ? undefined : files.read(fd, stat.size);
  }

  #commonDirectory(git: string): string {
    if (this.#options.looker.lookAt(`${git}/commondir`) === undefined) return git;
    return wayFrom(`${git}/commondir`, /^(.+)/, git) ?? git;
  }

  #isInside(path: string): boolean {
    return this.#options.trees.some((tree) => isWithin(path, tree.path));
  }
}

/** The canonical directory that a file leads to. */
function wayFrom(file: string, pattern: RegExp, base: string): string | undefined {
  const [, led] = pattern.exec(readTextIfRegular(file, LONGEST_WAY) ?? "") ?? [];
  return led === undefined ? undefined : realPath(absolutePath(led.trimEnd(), base));
}
