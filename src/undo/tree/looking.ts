/** Scans a tree: what is new or different is stored and becomes part of the index. */
import type { OpenFiles, Stat } from "../../system/open_files/file_calls.ts";
import { parentOf } from "../../system/paths.ts";
import { type Change, differences } from "../model/change.ts";
import { type Entry, isSame, isUntouched, type State } from "../model/entry.ts";
import { setState } from "../journal/replay.ts";
import type { Kept, ObjectStore } from "../store/objects.ts";
import { Ignored } from "./ignored.ts";
import type { Roots } from "./roots.ts";
import type { Noticed, TreeWatch } from "./tree_watch.ts";

export interface LookingParts {
  readonly files: OpenFiles;
  readonly roots: Roots;
  readonly objects: ObjectStore;
  readonly watch: TreeWatch;
  /** Bytes of ignored files that are stored. */
  readonly ignoredBytes: number;
}

/** The directory of git, which is never stored or put back. */
export const GIT = ".git";
/** Temporary names that an undo uses. */
export const UNDO_DRAFT = ".ahma-undo-";
/** Those of incomplete files. */
export const UNDO_PART = `${UNDO_DRAFT}part-`;
const MOST_ENTRIES = 1_000_000;
const TOO_MANY = `the project has more than ${MOST_ENTRIES} paths`;
const MOST_FILE_BYTES = 4n * 1024n * 1024n * 1024n;
const PERMISSIONS = 0o7777;
/** File times have a limited resolution: a file that changed this shortly before a scan may change again unnoticed, nanoseconds. */
const TIME_STEP = 20_000_000n;

export class Looking {
  readonly #parts: LookingParts;
  readonly #ignored: Ignored;
  /** Drafts of undos that the last full scan found. */
  #drafts: string[] = [];
  #index: Map<string, Entry>;
  /** Paths whose metadata may stay the same while their content changes. */
  #unsure = new Set<string>();
  /** Bytes of stored contents of ignored files, by path. */
  readonly #keptIgnored = new Map<string, number>();
  #ignoredTotal = 0;

  /** `known`: an earlier state of the tree, whose contents are stored; empty: there is none. */
  constructor(parts: LookingParts, known: Map<string, Entry>) {
    this.#parts = parts;
    this.#ignored = new Ignored(parts.files, parts.roots);
    this.#index = known;
  }

  get index(): ReadonlyMap<string, Entry> {
    return this.#index;
  }

  get drafts(): readonly string[] {
    return this.#drafts;
  }

  /** Scans everything, and watches it from then on. @throws {Error} When the store accepts no more. */
  all(): readonly Change[] {
    const { watch, roots } = this.#parts;
    watch.begin();
    this.#drafts = [];
    this.#ignored.forget();
    this.#keptIgnored.clear();
    this.#ignoredTotal = 0;
    const seen = new Map<string, Entry>();
    for (const { path } of roots.all) this.#visit(path, seen, 0);
    const changes = differences(this.#index, seen);
    this.#index = seen;
    return changes;
  }

  /** Scans what was noticed. @throws {Error} As `all`. */
  some({ names, trees }: Noticed): readonly Change[] {
    if ([...names].some((path) => Ignored.isRules(path))) this.#ignored.forget();
    const changes: Change[] = [];
    const note = (path: string, after: State) => {
      const before = this.#index.get(path);
      if (isSame(before, after)) return void (after && this.#index.set(path, after));
      changes.push({ path, before, after });
      setState(this.#index, path, after);
    };
    const tops = [...trees].filter((one) => !this.#isOutside(one) && !hasAbove(trees, one));
    const gone: string[] = [];
    for (const top of tops) {
      const seen = new Map<string, Entry>();
      this.#visit(top, seen, this.#index.size);
      for (const [path, entry] of seen) note(path, entry);
      for (const path of this.#below([top])) if (!seen.has(path)) note(path, undefined);
    }
    for (const path of names) {
      if (this.#isOutside(path) || hasAbove(trees, path) || trees.has(path)) continue;
      const parent = this.#index.get(parentOf(path));
      // Nothing in a directory that is not kept belongs to the index.
      if (parent?.unkept !== undefined || this.#index.size > MOST_ENTRIES && !this.#index.has(path)) continue;
      const now = this.#entryAt(path);
      if (this.#index.get(path)?.kind === "directory" && now?.kind !== "directory") gone.push(path);
      note(path, now);
    }
    if (gone.length > 0) { for (const path of this.#below(gone)) note(path, undefined); }
    return changes;
  }

  #isOutside(path: string): boolean {
    const root = this.#parts.roots.of(path);
    return root === undefined || path.slice(root.path.length).split("/").some((name) => isOwn(name));
  }

  #below(tops: readonly string[]): readonly string[] {
    return [...this.#index.keys()].filter((path) => tops.some((top) => path.startsWith(`${top}/`)));
  }

  /** A directory and all in it, within the limit of paths; `others` is how many are known already. */
  #visit(top: string, seen: Map<string, Entry>, others: number): void {
    const { files, roots, watch } = this.#parts;
    const leaveOut = (path: string, unkept: string) => {
      const entry = seen.get(path);
      if (entry !== undefined) seen.set(path, { ...entry, unkept });
    };
    const root = this.#entryAt(top);
    if (root === undefined) return;
    seen.set(top, root);
    const waiting = root.kind === "directory" ? [top] : [];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const fd = roots.directory(path);
      if (fd === undefined) {
        leaveOut(path, "it cannot be listed");
        continue;
      }
      watch.add(path, fd);
      const room = Math.max(0, MOST_ENTRIES - others - seen.size);
      const entries = files.entries(fd, room);
      if (entries.length > room) leaveOut(path, TOO_MANY);
      for (const { name } of entries.length > room ? [] : entries) {
        const below = `${path}/${name}`;
        if (name.startsWith(UNDO_DRAFT)) this.#drafts.push(below);
        if (isOwn(name)) continue;
        const entry = this.#entry({ directory: fd, name }, below);
        if (entry === undefined) continue;
        seen.set(below, entry);
        if (entry.kind === "directory") waiting.push(below);
      }
      files.drop(fd);
    }
  }

  #entryAt(path: string): State {
    return this.#parts.roots.at(path, (spot) => this.#entry(spot, path));
  }

  #entry({ directory, name }: { readonly directory: number; readonly name: string }, path: string): State {
    const { files } = this.#parts;
    const stat = files.stat(directory, name);
    if (stat === undefined) return undefined;
    const facts = factsOf(stat);
    const known = this.#index.get(path);
    const isSure = !this.#unsure.delete(path);
    if (BigInt(Date.now()) * 1_000_000n - facts.changed < TIME_STEP) this.#unsure.add(path);
    if (facts.kind === "link") {
      const target = files.linkTarget(directory, name);
      return target === undefined ? facts : { ...facts, target };
    }
    if (facts.kind !== "file") return facts;
    const isIgnored = this.#ignored.has(path, { isDirectory: false });
    if (isSure && known?.content !== undefined && isUntouched(known, facts)) {
      if (isIgnored) this.#count(path, facts.size);
      return { ...facts, content: known.content };
    }
    const problem = this.#tooMuch(path, stat, isIgnored);
    if (problem !== undefined) return { ...facts, unkept: problem };
    return this.#kept({ directory, name }, path, facts);
  }

  #kept({ directory, name }: { readonly directory: number; readonly name: string }, path: string, facts: Entry): State {
    const { files, objects } = this.#parts;
    return files.with(files.open(directory, name), (fd): Entry => {
      const stat = files.stat(fd, "");
      if (stat?.kind !== "file") return { ...facts, unkept: "it changed while it was read" };
      const kept: Kept = objects.keep(fd, stat);
      if ("unkept" in kept) this.#unsure.add(path);
      return { ...factsOf(stat), ...kept };
    }) ?? { ...facts, unkept: "it may not be read" };
  }

  #tooMuch(path: string, { size }: Stat, isIgnored: boolean): string | undefined {
    if (size > MOST_FILE_BYTES) return "it is larger than 4 GiB";
    if (!isIgnored) return undefined;
    this.#count(path, 0);
    if (this.#ignoredTotal + Number(size) > this.#parts.ignoredBytes) return "ignored files are over --undo-ignored";
    this.#count(path, Number(size));
    return undefined;
  }

  #count(path: string, size: number): void {
    this.#ignoredTotal += size - (this.#keptIgnored.get(path) ?? 0);
    if (size > 0) this.#keptIgnored.set(path, size);
    else this.#keptIgnored.delete(path);
  }
}

function isOwn(name: string): boolean {
  return name === GIT || name.startsWith(UNDO_DRAFT);
}

/** Whether a directory above is among the paths. */
function hasAbove(paths: ReadonlySet<string>, path: string): boolean {
  if (paths.size === 0) return false;
  for (let above = parentOf(path); above !== "/" && above !== ""; above = parentOf(above)) {
    if (paths.has(above)) return true;
  }
  return false;
}

/** The metadata of a path; `stat`: of a link itself. */
export function factsOf(stat: Stat): Entry {
  const { kind, mode, size, changedAt, device, inode, links, uid, gid, times } = stat;
  return {
    kind,
    mode: mode & PERMISSIONS,
    size: kind === "directory" ? 0 : Number(size),
    modified: writtenAt(times),
    changed: changedAt,
    file: `${device}:${inode}`,
    names: kind === "directory" ? 1 : links,
    owner: `${uid}:${gid}`,
  };
}

/** Nanoseconds since 1970 of the last writing. */
export function writtenAt(times: BigUint64Array): bigint {
  return BigInt.asIntN(64, times[2] ?? 0n) * 1_000_000_000n + (times[3] ?? 0n);
}
