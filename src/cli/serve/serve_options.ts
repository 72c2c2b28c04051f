import type { FlagName } from "../../settings/flags/flags.ts";
import type { Settings } from "../../settings/settings.ts";

/** What the server is started with, over either transport. */
export interface ServeOptions {
  readonly settings: Settings;
  /** Sentences for a person; the server starts all the same. */
  readonly warnings: readonly string[];
  /** The server's own variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** As typed. */
  readonly flags: ReadonlyMap<FlagName, readonly string[]>;
  /** Aborted when a signal asks for the end. */
  readonly stop: AbortSignal;
}
