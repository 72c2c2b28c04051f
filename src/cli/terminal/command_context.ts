import type { FlagName } from "../../settings/flags/flags.ts";
import type { Settings } from "../../settings/settings.ts";

/** The input of a subcommand. */
export interface CommandContext {
  readonly settings: Settings;
  /** Warnings about settings, as sentences. */
  readonly warnings: readonly string[];
  /** Why only the settings of the command line count; undefined: all settings count. */
  readonly settingsProblem: string | undefined;
  /** The program's own variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Words other than flags. */
  readonly operands: readonly string[];
  /** Flags as typed. */
  readonly flags: ReadonlyMap<FlagName, readonly string[]>;
  /** Whether a process runs between the start script and this process. */
  readonly wrapped: boolean;
  /** Aborted when a signal asks for the end. */
  readonly stop: AbortSignal;
}
