import type { FlagName } from "../flags.ts";
import type { Settings } from "../settings.ts";

/** What a subcommand gets to work with. */
export interface CommandContext {
  readonly settings: Settings;
  /** Sentences for a person, about settings. */
  readonly warnings: readonly string[];
  /** The program's own variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Words that are no flags. */
  readonly operands: readonly string[];
  /** Flags as typed. */
  readonly flags: ReadonlyMap<FlagName, readonly string[]>;
  /** Whether a program stands between the start script and this process. */
  readonly wrapped: boolean;
  /** Aborted when a signal asks for the end. */
  readonly stop: AbortSignal;
}

/** What a person typed does not fit the subcommand: a sentence for stderr, and exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
