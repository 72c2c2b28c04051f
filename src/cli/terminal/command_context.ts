import type { FlagName } from "../../settings/flags/flags.ts";
import type { Settings } from "../../settings/settings.ts";

/** What a subcommand gets to work with. */
export interface CommandContext {
  readonly settings: Settings;
  /** Sentences for a person, about settings. */
  readonly warnings: readonly string[];
  /** Why the settings are those of the command line alone; undefined: they are whole. */
  readonly settingsProblem: string | undefined;
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
