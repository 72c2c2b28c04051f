/**
 * Looks at guarded paths, before a command to know what to mount and after it to tell what changed (S7, S8). The cost
 * is some two microseconds a path, so it is done for each command, and waiting shells know the state they were born in.
 * Where nothing changed since the last look, path_watch.ts says so for less.
 */
import type { FileFacts, Libc } from "./libc.ts";
import { expected, parentOf } from "./paths.ts";
import type { GuardedPath } from "./policy.ts";
import type { ProtectedPath } from "./protected.ts";

/** What a session guards. */
export interface GuardPlan {
  readonly protected: readonly ProtectedPath[];
  /** Canonical trees commands can write to, in which further repositories are looked for. */
  readonly trees: readonly string[];
  /** Absolute paths that are not protected, whatever repository is found around them. */
  readonly open: readonly string[];
  /** Places of credentials in trees that commands can read or write. */
  readonly hidden: readonly HiddenPath[];
  /** Empty ones of ours, shown in place of what is hidden. */
  readonly covers: { readonly directory: string; readonly file: string };
}

/** A place of credentials; it need not exist. */
export interface HiddenPath {
  /** Canonical. */
  readonly path: string;
  /** The widest writable tree it lies in: what is renamed there would be found uncovered by the next command. */
  readonly tree?: string | undefined;
}

/** One change of a protected path. */
export interface ProtectedChange {
  readonly path: string;
  readonly change: "created" | "changed" | "removed";
}

/** The guarded paths at one moment. */
export interface GuardView {
  /** To mount, in order. */
  readonly guarded: readonly GuardedPath[];
  /** Equal exactly when the mounts of one view serve the other. */
  readonly key: string;
  /** Protected paths that exist: a fingerprint of each; `HELD` where commands cannot change it. */
  readonly seen: ReadonlyMap<string, string>;
  /** Places of credentials that exist and cannot be covered: nothing may run. */
  readonly exposed: readonly string[];
}

/** Mounted read-only, so there is nothing to compare. */
const HELD = "held";
/** A fingerprint of a directory takes no more than this many entries: the first of them in the order of the system. */
const MOST_ENTRIES = 512;

/** Only the C library's look is needed. */
export type Looker = Pick<Libc, "lookAt">;

/** A looker that also says cheaply whether there is anything new to see. */
export type WatchingLooker = Pick<Libc, "lookAt" | "watch">;

/** `mounted`: what is seen will be mounted, as with namespaces. */
export function lookAtGuarded(plan: GuardPlan, libc: Looker, { mounted }: { readonly mounted: boolean }): GuardView {
  const looking = new Look(libc, mounted);
  for (const one of plan.protected) looking.protect(one);
  for (const one of plan.hidden) looking.hide(one, plan.covers);
  return looking.view();
}

/** Every path that a view with mounts depends on: when nothing about them changed, neither has the view. */
export function pathsBehind({ protected: paths, hidden }: GuardPlan): readonly string[] {
  const all = [...paths, ...hidden].flatMap(({ path, tree }) =>
    tree === undefined ? [path] : [...ancestors(path, tree), path]
  );
  return [...new Set(all)];
}

/** What differs between a view and a later one, sorted by path. */
export function protectedChanges(before: GuardView, after: GuardView): readonly ProtectedChange[] {
  if (before === after) return [];
  const changes: ProtectedChange[] = [];
  for (const path of new Set([...before.seen.keys(), ...after.seen.keys()])) {
    const [was, is] = [before.seen.get(path), after.seen.get(path)];
    if (was === is || was === HELD && is !== undefined) continue;
    changes.push({ path, change: was === undefined ? "created" : is === undefined ? "removed" : "changed" });
  }
  return changes.sort((one, other) => one.path < other.path ? -1 : 1);
}

class Look {
  readonly #libc: Looker;
  readonly #mounted: boolean;
  readonly #facts = new Map<string, FileFacts | undefined>();
  readonly #guarded = new Map<string, GuardedPath>();
  readonly #seen = new Map<string, string>();
  readonly #exposed: string[] = [];
  #key = "";

  constructor(libc: Looker, mounted: boolean) {
    this.#libc = libc;
    this.#mounted = mounted;
  }

  protect({ path, tree, fileOnly }: ProtectedPath): void {
    const above = ancestors(path, tree);
    // A link on the way is watched where it is a protected path itself; what it leads to has an entry of its own.
    if (above.some((directory) => this.#look(directory)?.kind !== "directory")) return;
    const facts = this.#look(path);
    if (facts === undefined || fileOnly && facts.kind === "directory") return;
    if (!this.#mounted || facts.kind !== "directory" && facts.kind !== "file") {
      this.#seen.set(path, this.#fingerprint(path, facts));
      return;
    }
    this.#seen.set(path, HELD);
    for (const directory of above) this.#pin(directory);
    this.#add({ path, ...identityOf(facts), treatment: "read_only", cover: path }, String(facts.changedAt));
  }

  hide({ path, tree }: HiddenPath, covers: GuardPlan["covers"]): void {
    const facts = this.#look(path);
    if (facts === undefined || facts.kind === "link") return; // what the link leads to is a place of its own
    if (!this.#mounted) {
      this.#exposed.push(path);
      return;
    }
    for (const directory of tree === undefined ? [] : ancestors(path, tree)) this.#pin(directory);
    const cover = facts.kind === "directory" ? covers.directory : covers.file;
    this.#add({ path, ...identityOf(facts), treatment: "hidden", cover }, String(facts.changedAt));
  }

  view(): GuardView {
    // What covers a whole directory comes last: nothing below it could be opened afterwards.
    const guarded = [...this.#guarded.values()];
    const order = (one: GuardedPath) => (one.treatment === "hidden" ? 1 : 0);
    guarded.sort((one, other) => order(one) - order(other));
    return { guarded, key: this.#key, seen: this.#seen, exposed: this.#exposed };
  }

  /** Its time of change tells nothing: git writes in it all the time. */
  #pin(directory: string): void {
    const facts = this.#look(directory);
    if (facts === undefined || this.#guarded.has(directory)) return;
    this.#add({ path: directory, ...identityOf(facts), treatment: "pin", cover: directory }, "");
  }

  #add(guarded: GuardedPath, version: string): void {
    this.#guarded.set(guarded.path, guarded);
    this.#key += `${guarded.treatment} ${guarded.path} ${guarded.device} ${guarded.inode} ${version}\0`;
  }

  #look(path: string): FileFacts | undefined {
    const known = this.#facts.get(path);
    if (known !== undefined || this.#facts.has(path)) return known;
    const facts = this.#libc.lookAt(path);
    this.#facts.set(path, facts);
    return facts;
  }

  #fingerprint(path: string, facts: FileFacts): string {
    const parts = [describe(facts)];
    if (facts.kind === "directory") this.#addEntries(path, parts);
    return parts.join(" ");
  }

  #addEntries(directory: string, parts: string[]): void {
    const entries = expected(() => [...Deno.readDirSync(directory)]) ?? [];
    for (const { name } of entries) {
      if (parts.length >= MOST_ENTRIES) return;
      const path = `${directory}/${name}`;
      const facts = this.#libc.lookAt(path);
      if (facts === undefined) continue;
      parts.push(`${name} ${describe(facts)}`);
      if (facts.kind === "directory") this.#addEntries(path, parts);
    }
  }
}

function identityOf({ device, inode }: FileFacts) {
  return { device, inode };
}

function describe({ device, inode, mode, size, changedAt }: FileFacts): string {
  return `${device}:${inode}:${mode}:${size}:${changedAt}`;
}

/** The directories between a tree and a path in it, the upper first. */
function ancestors(path: string, tree: string): readonly string[] {
  const found: string[] = [];
  for (let parent = parentOf(path); parent.length > tree.length; parent = parentOf(parent)) found.unshift(parent);
  return found;
}
