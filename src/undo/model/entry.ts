/** What is at one path of a tree, as far as an undo can restore it. Pure. */

export type Kind = "file" | "directory" | "link" | "other";

export interface Entry {
  readonly kind: Kind;
  /** Permissions, with set-user-id, set-group-id and sticky. */
  readonly mode: number;
  /** Bytes. */
  readonly size: number;
  /** Time of the last write (mtime), nanoseconds since 1970. */
  readonly modified: bigint;
  /** Time of the last change of anything (ctime), nanoseconds since 1970; programs cannot set it. */
  readonly changed: bigint;
  /** Device and inode. */
  readonly file: string;
  /** How many names (hard links) the file has. */
  readonly names: number;
  /** User and group. */
  readonly owner: string;
  /** The target of a link; absent: it is not one. */
  readonly target?: string;
  /** The hash under which the content of a file is stored; absent: it is not. */
  readonly content?: string;
  /** Why the content is not stored; absent: it is, or there is none. */
  readonly unkept?: string;
}

/** Nothing, or an entry. */
export type State = Entry | undefined;

/** Whether the metadata alone shows that the file was not touched since. */
export function isUntouched(known: State, facts: Entry): boolean {
  return known?.kind === facts.kind && known.size === facts.size && known.modified === facts.modified &&
    known.changed === facts.changed && known.file === facts.file && known.mode === facts.mode;
}

/** Whether both have the same content, permissions and target, whatever their times. */
export function holdsSame(one: State, other: State): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.kind !== other.kind || one.mode !== other.mode && one.kind !== "link") return false;
  if (one.kind === "link") return one.target === other.target;
  if (one.kind === "directory") return true;
  if (one.content !== undefined && other.content !== undefined) return one.content === other.content;
  // Only the metadata of unstored content is known.
  return one.size === other.size && one.modified === other.modified;
}

/** Whether an undo has nothing to restore between the two: times and owner count too. */
export function isSame(one: State, other: State): boolean {
  if (!holdsSame(one, other)) return false;
  return one?.modified === other?.modified && one?.owner === other?.owner;
}

/** Whether only times of a directory differ, as when an entry in it was added or removed. */
export function isOnlyTimes(one: State, other: State): boolean {
  return one?.kind === "directory" && holdsSame(one, other) && one.owner === other?.owner;
}
