/** A change of a protected path, or of what it leads to: programs outside the sandbox obey the file (S8). */
export interface ProtectedChange {
  /** Absolute. */
  readonly path: string;
  /**
   * - `obeyed`: git's configuration names it now.
   * - `separated`: the file had a second name (hard link), and is a separate file now.
   * - `displaced`: the same, and a version that another program saved meanwhile is next to it under a longer name.
   * - `unwatched`: the directory holds more than is checked; reported once.
   * - `shared`: the file still has a second name, through which it can be changed.
   * - `not_kept`: the file did not change; `keys` in a command's copy of it were not copied back.
   * - `unlinked`: a link led away from a place where git writes files, and was removed.
   * - `set_aside`: git outside would have obeyed its `keys`, so it was moved out of git's sight.
   */
  readonly change:
    | "created"
    | "changed"
    | "removed"
    | "obeyed"
    | "separated"
    | "displaced"
    | "shared"
    | "unwatched"
    | "not_kept"
    | "unlinked"
    | "set_aside";
  /** Of git's configuration, or names in the repository; with `not_kept`, `set_aside` and `obeyed`, where they are known. */
  readonly keys?: readonly string[];
}
