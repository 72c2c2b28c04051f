/** A change of a protected path, or of what it leads to: programs outside the sandbox obey the file (S8). */
export interface ProtectedChange {
  /** Absolute. */
  readonly path: string;
  /**
   * - `obeyed`: git's configuration names it by now.
   * - `separated`: the file had a second name (hard link), and is a separate file now.
   * - `displaced`: the same, and the version that another program has saved since lies next to it under a longer name.
   * - `unwatched`: the directory holds more than is checked; reported once.
   * - `shared`: the file still has a second name, through which it can be changed.
   * - `not_kept`: the file did not change; `keys` of a command's copy of it were not taken over.
   * - `unlinked`: a link led from where git writes files to elsewhere, and was removed.
   * - `set_aside`: git outside would have obeyed `keys` of it, and no longer sees it.
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
