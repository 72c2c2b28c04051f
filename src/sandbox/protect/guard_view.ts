/** What a session guards, and its state at one moment. */
import type { GitProgram } from "./git_program.ts";
import type { FileFacts, Libc } from "../../system/libc.ts";
import type { ChangeWatch, Watched } from "../../system/stat_watch.ts";
import type { GuardedPath, PinnedDirectory } from "../policy/policy.ts";
import type { ProtectedPath } from "./protected_paths.ts";

/** What a session guards. */
export interface GuardPlan {
  readonly protected: readonly ProtectedPath[];
  /** Trees commands can write to, in which further repositories are looked for. */
  readonly trees: readonly PinnedDirectory[];
  /** Absolute paths that are not protected, even inside a repository. */
  readonly open: readonly string[];
  /** The user's; undefined: unknown. */
  readonly home: string | undefined;
  /** Places of credentials in trees that commands can read or write. */
  readonly hidden: readonly HiddenPath[];
  /** How to ask git which files it acts on; undefined: no git is available. */
  readonly git: GitProgram | undefined;
  /** With mounts, what commands see in the place of a protected file, by path: a link to a copy. Absent: no such. */
  readonly links?: ReadonlyMap<string, string>;
  /** Our empty file and directory, shown in place of hidden paths. */
  readonly covers: { readonly directory: string; readonly file: string };
}

/** A place of credentials; it need not exist. */
export interface HiddenPath {
  /** Canonical. */
  readonly path: string;
  /** The widest writable tree it lies in: after a rename there the next command would find it uncovered. */
  readonly tree?: string | undefined;
}

/** A protected file with more than one name, which commands can change through another name. */
export interface SharedFile {
  readonly path: string;
  readonly facts: FileFacts;
}

/** The facts in the fingerprint of a file. */
export type FileState = Pick<FileFacts, "device" | "inode" | "mode" | "size" | "changedAt">;

/** The guarded paths at one moment. */
export interface GuardView {
  /** To mount, in order. */
  readonly guarded: readonly GuardedPath[];
  /** Equal exactly when one view's mounts fit the other. */
  readonly key: string;
  /** What is mounted where; unlike the key it does not change when a file is written to. */
  readonly mounts: string;
  /** Unix sockets of other programs that are covered; absent: none is in reach. */
  readonly sockets?: string;
  /** Commands have no Unix sockets, because one of another program may be in reach; absent: they have their own. */
  readonly closesSockets?: true;
  /** Protected paths that exist, and links to them: a fingerprint of each. */
  readonly seen: ReadonlyMap<string, string>;
  readonly shared: readonly SharedFile[];
  /** Places of credentials that exist and cannot be covered: no command may run. */
  readonly exposed: readonly string[];
  /** Protected links to a name that is not valid text: no command may run. */
  readonly unreadable: readonly string[];
  /** What the view depends on; without mounts it depends on more. */
  readonly behind: WatchedPaths;
  /** Protected paths that hold more entries than are checked. */
  readonly overfull: readonly string[];
}

/** Paths to check again. */
export interface WatchedPaths {
  readonly everything: readonly string[];
  /** Nothing is there. */
  readonly absent: readonly string[];
  /** Directories on the way: programs write in them all the time. */
  readonly identity: readonly string[];
}

/** Queries to the file system. */
export type Looker = Pick<Libc, "lookAt">;

/** A checker that also reports cheaply whether anything may have changed. */
export type WatchingLooker = Looker & {
  watch(paths: readonly string[], watched?: Watched): ChangeWatch;
};
