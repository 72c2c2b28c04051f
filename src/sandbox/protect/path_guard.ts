/**
 * Looks at guarded paths, before a command to know what to mount and after it to tell what changed (S7, S8, S21). The
 * cost is some two microseconds a path, so it is done for each command, and waiting shells know the state they were born
 * in. Where nothing changed since the last look, stat_watch.ts says so for less.
 */
import type { GitProgram } from "./git_program.ts";
import { GuardLook } from "./path_snapshot.ts";
import type { FileFacts, Libc } from "../../system/libc.ts";
import type { PathWatch } from "../../system/stat_watch.ts";
import type { GuardedPath, PinnedDirectory } from "../policy/policy.ts";
import type { ProtectedPath } from "./protected_paths.ts";

/** What a session guards. */
export interface GuardPlan {
  readonly protected: readonly ProtectedPath[];
  /** Trees commands can write to, in which further repositories are looked for. */
  readonly trees: readonly PinnedDirectory[];
  /** Absolute paths that are not protected, whatever repository is found around them. */
  readonly open: readonly string[];
  /** The user's; undefined: unknown. */
  readonly home: string | undefined;
  /** Places of credentials in trees that commands can read or write. */
  readonly hidden: readonly HiddenPath[];
  /** Empty ones of ours, shown in place of what is hidden. */
  /** How git is asked what it obeys; undefined: there is none that could be. */
  readonly git: GitProgram | undefined;
  readonly covers: { readonly directory: string; readonly file: string };
}

/** A place of credentials; it need not exist. */
export interface HiddenPath {
  /** Canonical. */
  readonly path: string;
  /** The widest writable tree it lies in: what is renamed there would be found uncovered by the next command. */
  readonly tree?: string | undefined;
}

/**
 * One change of a protected path, or of what it leads to.
 *
 * - `obeyed`: git's configuration names it by now.
 * - `separated`: a file had a second name (hard link); it is a file of its own now.
 * - `shared`: it has one still, and can be changed by it.
 */
export interface ProtectedChange {
  readonly path: string;
  readonly change: "created" | "changed" | "removed" | "obeyed" | "separated" | "shared";
}

/** A protected file with more than one name: commands can change it by another one. */
export interface SharedFile {
  readonly path: string;
  readonly facts: FileFacts;
}

/** The guarded paths at one moment. */
export interface GuardView {
  /** To mount, in order. */
  readonly guarded: readonly GuardedPath[];
  /** Equal exactly when the mounts of one view serve the other. */
  readonly key: string;
  /** What is mounted where; other than the key it does not change when a file is written to. */
  readonly mounts: string;
  /** Protected paths that exist, and links to them: a fingerprint of each. */
  readonly seen: ReadonlyMap<string, string>;
  readonly shared: readonly SharedFile[];
  /** Places of credentials that exist and cannot be covered: nothing may run. */
  readonly exposed: readonly string[];
  /** Protected links that lead to a name that cannot be written down: nothing may run. */
  readonly unreadable: readonly string[];
  /** What the view depends on; without mounts it depends on more. */
  readonly behind: WatchedPaths;
  /** False: protected directories hold more than is looked at. */
  readonly complete: boolean;
}

/** Paths to look at again. */
export interface WatchedPaths {
  readonly everything: readonly string[];
  /** Nothing is there. */
  readonly absent: readonly string[];
  /** Directories on the way: programs write in them all the time. */
  readonly identity: readonly string[];
}

/** What is asked of the file system. */
export type Looker = Pick<Libc, "lookAt">;

/** A looker that also says cheaply whether there is anything new to see. */
export type WatchingLooker = Looker & {
  watch(paths: readonly string[], watched?: "everything" | "identity"): PathWatch;
};

/** `mounted`: what is seen will be mounted, as with namespaces. */
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
