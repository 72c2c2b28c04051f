/** What a call becomes before anything runs: plain data, made by pure functions. */
export interface PreparedCommand {
  /** Non-empty. `{ file: n }` stands for the path of the private file that holds `files[n]`. */
  readonly argv: readonly (string | { readonly file: number })[];
  /** Variables to add to the command's environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Texts to write to private files before the start (T7 `file_arg`). */
  readonly files: readonly string[];
  /** Values of `format: path` that must lie inside the scope (T9). */
  readonly paths: readonly { readonly argument: string; readonly value: string }[];
  /** Undefined: empty stdin. */
  readonly stdin: string | undefined;
}

/** The parts of a call that never reach argv (T6). */
export interface MetaArguments {
  readonly workingDirectory: string | undefined;
  readonly timeoutSeconds: number | undefined;
  readonly executionMode: "Synchronous" | "AsyncResultPush" | undefined;
}

/** A wrong argument, worded for the model: which, what was given, what is allowed. */
export interface ArgumentProblem {
  readonly argument: string;
  readonly message: string;
}
