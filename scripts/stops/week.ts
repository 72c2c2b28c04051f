/** The work of a developer on one project: the same calls in every way of starting the server. */
export interface Week {
  readonly name: string;
  /** Looked up on the PATH. */
  readonly programs: readonly string[];
  /** Of the project's repository, which is cloned at the start. */
  readonly files: Readonly<Record<string, string>>;
  /** Of its neighbours, in the directory that holds the project. A name with `/` at its end is a directory. */
  readonly beside: Readonly<Record<string, string>>;
  /** Shell lines, by day; a server is started for each day. All can be run again. */
  readonly days: readonly (readonly string[])[];
}

/** Commits what changed and sends it to the repository that was cloned. */
export const COMMIT = "echo note >> NOTES.md && git add -A && git commit -qm work";
export const PUSH = "git push -q origin HEAD";

/** A host that neither registries nor git hosts name; the measurement serves it. */
export const FILE_HOST = "files.example.test";
