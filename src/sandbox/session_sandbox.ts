import type { GuardPlan } from "./protect/guard_view.ts";
import type { PinnedDirectory } from "./policy/policy.ts";
import type { SessionDirectories } from "./directories/session_directory.ts";

/** The parts of every session, on any system. */
export interface SessionSandbox {
  readonly scopes: readonly PinnedDirectory[];
  /** Canonical places of credentials that stay closed. */
  readonly sensitive: readonly string[];
  /** What is protected and hidden by mounts; undefined: nothing, or not by mounts. */
  readonly guard: GuardPlan | undefined;
  /** What every command starts with (S9). */
  readonly environment: Readonly<Record<string, string>>;
  readonly directories: SessionDirectories;
  /** Canonical trees commands can write to: scopes, `--write`, temp, cache; empty: `--no-sandbox`. */
  readonly writable: readonly string[];
  /** One sentence for each protection this system lacks. */
  readonly missing: readonly string[];
  /** One sentence for each of its directories that is not as it should be. */
  readonly warnings: readonly string[];
}
