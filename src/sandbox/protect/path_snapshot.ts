/** One check of everything guarded: what exists, where links lead, and what to mount over it (S7, S8, S21). */
import type { FileState, GuardPlan, GuardView, HiddenPath, Looker, SharedFile } from "./guard_view.ts";
import { isGenerated } from "./nested_repositories.ts";
import { followLinks } from "../../system/follow_links.ts";
import type { FileFacts } from "../../system/libc.ts";
import { expected, isWithin, parentOf } from "../../system/paths.ts";
import type { GuardedPath } from "../policy/policy.ts";
import type { ProtectedPath } from "./protected_paths.ts";
import type { ProtectedChange } from "../../base/command/protected_change.ts";

/** Entries of one protected directory that a check reads, in system order; each directory has its own limit. */
const MOST_ENTRIES = 4096;
/** Of these, those that are checked around every command. */
const MOST_WATCHED_ENTRIES = 256;
/** Links in one protected directory that are followed. */
const MOST_LINKS = 64;

export class GuardLook {
  readonly #libc: Looker;
  readonly #plan: GuardPlan;
  readonly #mounted: boolean;
  readonly #facts = new Map<string, FileFacts | undefined>();
  readonly #guarded = new Map<string, GuardedPath>();
  readonly #seen = new Map<string, string>();
  readonly #shared: SharedFile[] = [];
  readonly #exposed: string[] = [];
  readonly #unreadable: string[] = [];
  readonly #everything = new Set<string>();
  readonly #identity = new Set<string>();
  readonly #absent = new Set<string>();
  #key = "";
  #mounts = "";
  #entries = 0;
  #watchedEntries = 0;
  #links = 0;
  readonly #overfull: string[] = [];

  constructor(libc: Looker, plan: GuardPlan, mounted: boolean) {
    this.#libc = libc;
    this.#plan = plan;
    this.#mounted = mounted;
  }

  /** Follows the path to its target, which is protected like the path itself. */
  protect(one: ProtectedPath): void {
    this.#entries = MOST_ENTRIES;
    this.#watchedEntries = MOST_WATCHED_ENTRIES;
    this.#links = MOST_LINKS;
    this.#follow(one);
    if (this.#entries <= 0 || this.#links <= 0) this.#overfull.push(one.path);
  }

  #follow({ path, tree, fileOnly, program, writable = [] }: ProtectedPath): void {
    const way = followLinks({ from: tree, path: path.slice(tree.length), look: (one) => this.#look(one) });
    const passed = way.passed.filter((one) => this.#isInside(one.path));
    for (const one of passed) (one.facts.kind === "link" ? this.#everything : this.#identity).add(one.path);
    const links = passed.filter(({ facts }) => facts.kind === "link");
    for (const link of links) this.#seen.set(link.path, fingerprintOf(link.facts));
    if (way.unreadable) this.#unreadable.push(path);
    const meant = !(fileOnly && way.facts?.kind === "directory");
    const told = (program === true || links.length > 0) && this.#isGenerated(way.path);
    if (meant && way.facts !== undefined || links.length > 0) {
      this.#pin(told ? passed.filter((one) => !this.#isGenerated(one.path)) : passed);
    }
    if (this.#isInside(way.path) || this.#holdsTree(way.path)) this.#watch(way.path, { meant });
    if (meant && way.facts !== undefined) this.#settle({ path: way.path, facts: way.facts, writable }, { told });
  }

  /** Covers the existing file; a link leads to another place of credentials. */
  hide({ path, tree }: HiddenPath): void {
    const above = tree === undefined ? [] : ancestors(path, tree);
    const facts = this.#look(path);
    this.#watch(path, { meant: true });
    if (facts === undefined || facts.kind === "link") return;
    if (!this.#mounted) {
      this.#exposed.push(path);
      return;
    }
    for (const directory of above) this.#identity.add(directory);
    this.#pin(above.map((one) => ({ path: one, facts: this.#look(one) })));
    const { covers } = this.#plan;
    const cover = facts.kind === "directory" ? covers.directory : covers.file;
    this.#add({ path, ...identityOf(facts), treatment: "hidden", cover }, String(facts.changedAt));
  }

  view(): GuardView {
    // What covers a whole directory comes last: nothing below it could be opened afterwards.
    const guarded = [...this.#guarded.values()];
    const order = (one: GuardedPath) => (one.treatment === "hidden" ? 1 : 0);
    guarded.sort((one, other) => order(one) - order(other));
    const identity = [...this.#identity].filter((path) => !this.#everything.has(path));
    return {
      guarded,
      key: this.#key,
      mounts: this.#mounts,
      seen: this.#seen,
      shared: this.#shared,
      exposed: this.#exposed,
      unreadable: this.#unreadable,
      behind: { everything: [...this.#everything], absent: [...this.#absent], identity },
      overfull: this.#overfull,
    };
  }

  /** `meant`: it is guarded itself. */
  #watch(path: string, { meant }: { readonly meant: boolean }): void {
    if (this.#look(path) === undefined) this.#absent.add(path);
    else if (meant) this.#everything.add(path);
    else this.#identity.add(path);
  }

  /** What a protected path leads to in the end. */
  #settle(found: Found, { told }: { readonly told: boolean }): void {
    const { path, facts } = found;
    const inside = this.#isInside(path);
    if (this.#plan.open.some((one) => isWithin(path, one))) return;
    if (!inside && !this.#holdsTree(path) || this.#isSettled(path)) return;
    const canMount = facts.kind === "directory" || facts.kind === "file";
    if (!inside || !this.#mounted || told || !canMount) {
      this.#seen.set(path, this.#fingerprint(found));
      return;
    }
    const link = facts.kind === "file" ? this.#plan.links?.get(path) : undefined;
    const how = link === undefined
      ? { treatment: "read_only", cover: path } as const
      : { treatment: "copied", cover: link } as const;
    this.#add({ path, ...identityOf(facts), ...how }, String(facts.changedAt));
    for (const name of found.writable) this.#leaveWritable(`${path}/${name}`);
    this.#seen.set(path, this.#fingerprint(found));
  }

  #isSettled(path: string): boolean {
    const treatment = this.#guarded.get(path)?.treatment;
    return treatment === "read_only" || treatment === "copied";
  }

  /** A link is not a directory: it could lead to a protected path. A path protected by its own name stays so. */
  #leaveWritable(path: string): void {
    const facts = this.#look(path);
    if (facts?.kind !== "directory" || this.#guarded.get(path)?.treatment === "read_only") return;
    this.#guarded.delete(path);
    this.#add({ path, ...identityOf(facts), treatment: "writable", cover: path }, "");
  }

  /** Of all that is in it: a mount covers a name, and a command may hold a file open by another one. */
  #fingerprint({ path, facts, writable }: Found): string {
    const parts = [fingerprintOf(facts)];
    if (facts.kind === "directory") this.#addEntries(path, parts, writable);
    else if (facts.kind === "file" && facts.links > 1) this.#shared.push({ path, facts });
    return parts.join(" ");
  }

  #addEntries(directory: string, parts: string[], writable: readonly string[] = []): void {
    for (const { name } of expected(() => [...Deno.readDirSync(directory)]) ?? []) {
      if (this.#entries <= 0) return;
      this.#entries--;
      const path = `${directory}/${name}`;
      const facts = this.#libc.lookAt(path);
      if (facts === undefined || facts.kind === "directory" && writable.includes(name)) continue;
      if (facts.kind === "file" && facts.links > 1) this.#shared.push({ path, facts });
      parts.push(`${name} ${fingerprintOf(facts)}`);
      if (this.#watchedEntries-- > 0) this.#everything.add(path);
      if (facts.kind === "directory") this.#addEntries(path, parts);
      else if (facts.kind === "link" && this.#links-- > 0) {
        this.#follow({ path, tree: directory, fileOnly: false });
      }
    }
  }

  /** Files that programs of the project create and remove must stay removable. */
  #isGenerated(path: string): boolean {
    const tree = this.#plan.trees.find((one) => isWithin(path, one.path));
    return tree !== undefined && isGenerated(path.slice(tree.path.length));
  }

  #holdsTree(path: string): boolean {
    return this.#plan.trees.some((tree) => isWithin(tree.path, path));
  }

  #isInside(path: string): boolean {
    return this.#plan.trees.some((tree) => path !== tree.path && isWithin(path, tree.path));
  }

  /** Prevents directories and links on the way from being exchanged; programs may still write in the directories. */
  #pin(passed: readonly { readonly path: string; readonly facts: FileFacts | undefined }[]): void {
    if (!this.#mounted) return;
    for (const { path, facts } of passed) {
      if (facts === undefined || this.#guarded.has(path) || this.#isHeld(path)) continue;
      // A directory's time of change is useless: git writes in it all the time.
      const version = facts.kind === "link" ? String(facts.changedAt) : "";
      this.#add({ path, ...identityOf(facts), treatment: "pin", cover: path }, version);
    }
  }

  #isHeld(path: string): boolean {
    for (let above = parentOf(path); above !== "/"; above = parentOf(above)) {
      const treatment = this.#guarded.get(above)?.treatment;
      if (treatment === "writable") return false;
      if (treatment === "read_only") return true;
    }
    return false;
  }

  #add(guarded: GuardedPath, version: string): void {
    this.#guarded.set(guarded.path, guarded);
    const { treatment, path, device, inode } = guarded;
    const mount = `${treatment} ${path} ${device} ${inode}`;
    this.#mounts += `${mount}\0`;
    this.#key += `${mount} ${version}\0`;
  }

  #look(path: string): FileFacts | undefined {
    const known = this.#facts.get(path);
    if (known !== undefined || this.#facts.has(path)) return known;
    const facts = this.#libc.lookAt(path);
    this.#facts.set(path, facts);
    return facts;
  }
}

interface Found {
  readonly path: string;
  readonly facts: FileFacts;
  /** See `ProtectedPath.writable`. */
  readonly writable: readonly string[];
}

/** Differs when the file is another one, or its content, owner or mode was changed. */
export function fingerprintOf({ device, inode, mode, size, changedAt }: FileState): string {
  return `${device}:${inode}:${mode}:${size}:${changedAt}`;
}

function identityOf({ device, inode }: FileFacts) {
  return { device, inode };
}

/** The directories between a tree and a path in it, the upper first. */
function ancestors(path: string, tree: string): readonly string[] {
  const found: string[] = [];
  for (let parent = parentOf(path); parent.length > tree.length; parent = parentOf(parent)) found.unshift(parent);
  return found;
}

/** Checks guarded paths, before a command and after it; two microseconds each. `mounted`: the view will be. */
export function lookAtGuarded(plan: GuardPlan, libc: Looker, { mounted }: { readonly mounted: boolean }): GuardView {
  const looking = new GuardLook(libc, plan, mounted);
  for (const one of plan.protected) looking.protect(one);
  for (const one of plan.hidden) looking.hide(one);
  return looking.view();
}

/** What differs between a view and a later one, sorted by path. */
export function protectedChanges(before: GuardView, after: GuardView): readonly ProtectedChange[] {
  if (before === after) return [];
  const changes: ProtectedChange[] = [];
  for (const path of new Set([...before.seen.keys(), ...after.seen.keys()])) {
    const [was, is] = [before.seen.get(path), after.seen.get(path)];
    if (was === is) continue;
    changes.push({ path, change: was === undefined ? "created" : is === undefined ? "removed" : "changed" });
  }
  return changes.sort((one, other) => one.path < other.path ? -1 : 1);
}

/** Of one file, while one command ran. */
const MOST_STEPS = 16;

/** Changes of protected files by the server itself, which results do not report. */
export class OwnChanges {
  /** Fingerprints after a change, by path and fingerprint before. */
  readonly #after = new Map<string, string>();

  /** Adds a change of a file between two fingerprints. */
  add(path: string, before: string, after: string): void {
    this.#after.set(`${path}\0${before}`, after);
  }

  /** The changes except those that only the server made. */
  without(changes: readonly ProtectedChange[], before: GuardView, after: GuardView): readonly ProtectedChange[] {
    return changes.filter(({ path }) => {
      let was = before.seen.get(path);
      for (let steps = 0; steps < MOST_STEPS && this.#after.has(`${path}\0${was}`); steps++) {
        was = this.#after.get(`${path}\0${was}`);
        if (was === after.seen.get(path)) return false;
      }
      return true;
    });
  }
}
