/** A change of a protected path, or of what it leads to: programs outside the sandbox obey the file (S8). */
export interface ProtectedChange {
  /** Absolute. */
  readonly path: string;
  /**
   * - `obeyed`: git's configuration names it by now.
   * - `separated`: the file had a second name (hard link), and is a file of its own now.
   * - `displaced`: the same, and what another program saved meanwhile lies next to it under a longer name.
   * - `unwatched`: the directory holds more than is looked at; told once.
   * - `shared`: the file still has a second name, through which it can be changed.
   * - `not_kept`: the file did not change; `keys` of a command's copy of it were not taken over.
   * - `taken_out`: `keys` that a command had set in the repository that it made.
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
    | "taken_out";
  /** Of git's configuration; only with `not_kept` and `taken_out`. */
  readonly keys?: readonly string[];
}
