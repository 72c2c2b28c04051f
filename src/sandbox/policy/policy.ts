/** What a session's commands may do, as plain data. Reads and writes are denied by default. */
import type { Confinement } from "./confinement.ts";
import { isWithin } from "../../system/paths.ts";

/** A directory pinned by identity: the launcher refuses to run when the path leads elsewhere (S4). */
export interface PinnedDirectory {
  /** Canonical absolute path. */
  readonly path: string;
  readonly device: bigint;
  readonly inode: bigint;
}

/** A path that may be used with the given Landlock rights. A path that is gone when a command starts is skipped. */
export interface PathGrant {
  /** Canonical absolute path: the kernel binds rules to the file itself, never to links. */
  readonly path: string;
  readonly kind: "directory" | "file";
  /** A mask of `FS` rights (landlock.ts). */
  readonly rights: number;
  /** What must be there when a command starts, or none is launched; absent: whatever is. */
  readonly identity?: Pick<PinnedDirectory, "device" | "inode">;
}

/**
 * A path that is covered in the mount namespace; if it leads elsewhere by then, the launch is refused. `pin`: cannot be
 * renamed or removed. `read_only` (S8) and `writable`: a mount of itself. `hidden` (S7) and `copied` (S24): `cover`
 * stands in its place, for `copied` a link to a copy.
 */
export interface GuardedPath extends PinnedDirectory {
  readonly treatment: "pin" | "read_only" | "writable" | "hidden" | "copied";
  /** What commands see there: the path itself, or an empty directory, file or link made by this program. */
  readonly cover: string;
}

/** A writable tree that commands see through a copy-on-write view: what they change goes to `upper` alone (S40). */
export interface PreviewedTree {
  /** Canonical; the path of a writable tree. */
  readonly path: string;
  /** Both on one file system, and where no other command reaches them. */
  readonly upper: PinnedDirectory;
  readonly work: PinnedDirectory;
}

/** What commands see at /tmp and /var/tmp (S5); `private_temporary.ts` makes the directories for it. */
export interface PrivateTemporary {
  /** The session's temp directory; also one of the writable trees. */
  readonly tree: PinnedDirectory;
  /** Canonical directories where commands see it. */
  readonly places: readonly string[];
  /** Directories of the server's, each shown read-only at `at.path`, whose identity is that of the mount point. */
  readonly ways: readonly { readonly at: PinnedDirectory; readonly source: PinnedDirectory }[];
  /** By the path of each tree, grant and cover that is shown at its own path: the identity of its mount point. */
  readonly points: readonly PinnedDirectory[];
  /** What commands see for a grant that is gone. */
  readonly covers: { readonly directory: string; readonly file: string };
}

/** A file of the server's that commands see in place of another one. */
export interface ShownInstead {
  /** Canonical path of a file that is granted, or lies in a tree that is. */
  readonly path: string;
  readonly source: string;
}

/** The root that commands see; `own_root.ts` makes the directory for it. */
export interface OwnRoot {
  /** A directory of the server's with a mount point for each tree, and with links. */
  readonly tree: PinnedDirectory;
  /** Grants to mount, none in another one or in a writable tree. One that is gone is shown empty. */
  readonly trees: readonly string[];
  /** Mounted after the trees, on what lies there. Absent: none. */
  readonly instead?: readonly ShownInstead[];
  /** Devices to mount, in a private /dev. */
  readonly devices: readonly string[];
  /** By the path of each writable tree that has one: the identity of its mount point. */
  readonly points: readonly PinnedDirectory[];
}

export interface SandboxPolicy {
  /** Trees that may be read, written and executed, none in another one: the scopes first, then temp and caches. */
  readonly writable: readonly PinnedDirectory[];
  /** What else may be read or executed. */
  readonly grants: readonly PathGrant[];
  /** Landlock's ABI as reported by the kernel, 1 or more. */
  readonly abi: number;
  /** User, mount and PID namespaces: a process tree that ends together, everything outside read-only, private /proc. */
  readonly namespaces: boolean;
  /** Only with namespaces. Absent: commands change the trees themselves. */
  readonly previewed?: readonly PreviewedTree[] | undefined;
  /** In mount order, directories before their contents; only used with namespaces. Absent: none. */
  readonly guarded?: readonly GuardedPath[];
  /** With namespaces: what commands see at /tmp and /var/tmp. Absent: those of the machine. */
  readonly temporary?: PrivateTemporary;
  /** With namespaces: the root that commands see. Absent: the machine's, read-only. */
  readonly root?: OwnRoot;
  /** With a private root: private pseudo-terminals. Absent: none. */
  readonly terminals?: boolean;
  /** With namespaces: commands share the machine's System V memory and message queues. Absent: they have their own. */
  readonly sharedIpc?: true;
  /** With namespaces: the command has a private /dev/shm. Absent: it has none. */
  readonly sharedMemory?: boolean;
  /** Capabilities that commands of root keep, by number (linux/capability.h); empty: none. */
  readonly keptCapabilities: readonly number[];
  /** Network, sockets, system calls, resources. */
  readonly confinement: Confinement;
  /** The ids that commands run as: the server's own. */
  readonly user: { readonly uid: number; readonly gid: number };
}

/** One command, ready for `execve`. */
export interface LaunchCommand {
  /** Absolute paths tried in order, as a PATH search would; non-empty. */
  readonly programs: readonly string[];
  readonly argv: readonly string[];
  /** `NAME=value` */
  readonly environment: readonly string[];
  /** Absolute working directory. */
  readonly directory: string;
  /** The command gets a copy of the report descriptor (`TAKEN_FD`): only for our own programs. */
  readonly reports?: boolean;
}

/**
 * The outermost trees, whose rights hold in those inside. A nested tree can so be renamed or recreated, as `git switch`
 * does, and nothing opens when commands move directories.
 */
export function outerTrees(trees: readonly PinnedDirectory[]): readonly PinnedDirectory[] {
  return trees.filter(({ path }, index) =>
    !trees.some((other, at) => at !== index && isWithin(path, other.path) && (path !== other.path || at < index))
  );
}
