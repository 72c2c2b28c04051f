import type { FlagName } from "../../settings/flags/flags.ts";
import type { Settings } from "../../settings/settings.ts";

/** Options of the server, for both transports. */
export interface ServeOptions {
  readonly settings: Settings;
  /** Warnings as sentences; the server starts in spite of them. */
  readonly warnings: readonly string[];
  /** The server's own variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** As typed. */
  readonly flags: ReadonlyMap<FlagName, readonly string[]>;
  /** Aborted when a signal asks for the end. */
  readonly stop: AbortSignal;
}
