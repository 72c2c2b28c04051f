import type { ConfinementChoice } from "./policy/confinement.ts";
import type { ScopeChoice } from "./grants/resolve_scopes.ts";

/** What a person chose; everything comes from flags and the server's environment, read once. */
export interface SandboxSettings extends ScopeChoice {
  /** False: `--no-sandbox`. */
  readonly enforce: boolean;
  /** `--read` and `--write` directories or files, as given. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** `--protect` and `--allow-protected`, as given. */
  readonly protect: readonly string[];
  readonly allowProtected: readonly string[];
  /** Canonical paths of our own that commands may not change where they lie in a writable tree. */
  readonly own: readonly string[];
  /** `--allow-read-sensitive`, as given. */
  readonly allowSensitive: readonly string[];
  /** `--strict`: nothing below home is readable unless it is named. */
  readonly strict: boolean;
  /** `--env` names. */
  readonly environmentNames: readonly string[];
  readonly temporaryFiles: boolean;
  readonly requireAbi: number | undefined;
  readonly confinement: ConfinementChoice;
  /** Absolute path of the shell commands run in. */
  readonly shell: string;
  readonly serverEnvironment: Readonly<Record<string, string>>;
}
