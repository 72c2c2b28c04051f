/** How `sandbox-exec` starts a command, and what it means when it does not (S11, S12, S13). */
import { WITHOUT } from "../policy/prerequisites.ts";

/** Everything that confines the commands of a session on macOS. */
export interface SeatbeltConfinement {
  /** Absolute path of `sandbox-exec`. */
  readonly program: string;
  /** The profile, in a file that commands cannot write to. */
  readonly profileFile: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Its command line, so that `command` (non-empty, the program's path first) runs under the profile. */
export function sandboxExecArguments(
  { profileFile, parameters }: SeatbeltConfinement,
  command: readonly string[],
): readonly string[] {
  const values = Object.entries(parameters).flatMap(([key, value]) => ["-D", `${key}=${value}`]);
  return [...values, "-f", profileFile, "--", ...command];
}

/** How a `sandbox-exec` ended that started nothing. */
export interface SandboxExecEnd {
  readonly code: number;
  readonly signal: string | undefined;
  /** What it wrote to stderr. */
  readonly said: string;
}

/** sysexits(3) */
const EX_USAGE = 64;
const EX_DATAERR = 65;
const EX_OSERR = 71;
/** A shell's exit code for SIGABRT. */
const ABORTED = 134;

/** Why nothing was started, and the way out. `profileFile`: where the profile can be read. */
export function describeSandboxExecFailure(end: SandboxExecEnd, profileFile: string): string {
  const said = end.said.trim();
  const quoted = said === "" ? "" : `\nIt wrote: ${said}`;
  if (end.signal === "SIGABRT" || end.code === ABORTED) {
    return `Cannot enforce the sandbox: macOS rejects the profile "${profileFile}" (SIGABRT).${quoted}\n${WITHOUT}`;
  }
  switch (end.signal === undefined ? end.code : undefined) {
    case EX_OSERR:
      // The name of the call is the same in every language.
      return said.includes("sandbox_apply")
        ? "Cannot enforce the sandbox: this program is in another sandbox already (an editor's or an agent's), and macOS " +
          `does not nest them.${quoted}\nStart it outside of that one, or leave enforcement to it with --no-sandbox or ` +
          "AHMA_NO_SANDBOX=1"
        : `Cannot start anything in the sandbox: sandbox-exec cannot run the shell (exit code 71).${quoted}\n${WITHOUT}`;
    case EX_DATAERR:
      return `Cannot enforce the sandbox: sandbox-exec does not understand the profile "${profileFile}" (exit code 65).` +
        `${quoted}\n${WITHOUT}`;
    case EX_USAGE:
      return `Cannot enforce the sandbox: this sandbox-exec does not take -D, -f and -- (exit code 64).${quoted}\n${WITHOUT}`;
    default:
      return `Cannot enforce the sandbox: sandbox-exec ended with ${
        end.signal ?? `exit code ${end.code}`
      }.${quoted}\n` +
        WITHOUT;
  }
}

/** Why the server does not start where there is no `sandbox-exec`. */
export function missingSandboxExec(program: string): string {
  return `Cannot enforce the sandbox: "${program}" is missing.\nIt is part of every macOS; a system without it is damaged ` +
    `or is not macOS.\n${WITHOUT}`;
}
