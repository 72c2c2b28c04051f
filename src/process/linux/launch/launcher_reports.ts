/** Decodes what the launcher writes to its report descriptor (sandbox/launcher/image/interpreter.ts has the format). */
import { concatenate } from "../../../base/bytes.ts";
import type { CommandEnd } from "../../../base/command/command_end.ts";
import type { LauncherStatus } from "../../spawn.ts";
import { LITTLE_ENDIAN } from "../../../system/c_library.ts";
import { ENDED, ENTRY_BYTES, ENTRY_MODE, MISMATCH_ERRNO } from "../../../sandbox/launcher/image/interpreter.ts";

/** How a process ended. */
export type ProcessEnd = Extract<CommandEnd, { kind: "exited" | "signalled" }>;

export type LauncherReport =
  /**
   * A fork, with the child's id as its parent sees it. `entrance`: the spawned process, which leads into the
   * namespaces; inside, ids mean nothing outside.
   */
  | { readonly kind: "forked"; readonly by: "entrance" | "parent of the command"; readonly pid: number }
  /**
   * The command's first process has ended. `alone`: none of its child processes is left. `clean`: nothing else is left
   * either, and a serving launcher accepts another command. `taken`: it had taken its command.
   */
  | {
    readonly kind: "ended";
    readonly end: ProcessEnd;
    readonly alone: boolean;
    readonly clean: boolean;
    readonly taken: boolean;
  }
  /** The shell that forks for each line waits for the first. */
  | { readonly kind: "ready" }
  /** The prewarmed process has its command; everything after this is the command's doing. */
  | { readonly kind: "taken" }
  /** A step failed; nothing ran. */
  | { readonly kind: "failed"; readonly step: number; readonly errno: number };

/** A step that failed. */
export type StepFailure = Extract<LauncherReport, { kind: "failed" }>;

/** Collects bytes and returns whole reports. */
export class ReportReader {
  #pending = new Uint8Array(0);

  /** The reports that `chunk` completes, in order. */
  read(chunk: Uint8Array): readonly LauncherReport[] {
    const bytes = concatenate([this.#pending, chunk]);
    const whole = Math.floor(bytes.length / ENTRY_BYTES) * ENTRY_BYTES;
    this.#pending = bytes.slice(whole);
    const reports: LauncherReport[] = [];
    for (let at = 0; at < whole; at += ENTRY_BYTES) {
      reports.push(decodeReport(new DataView(bytes.buffer, at, ENTRY_BYTES)));
    }
    return reports;
  }
}

/** The failed step in all reports of a launcher; undefined: none failed. */
export function failureIn(bytes: Uint8Array): StepFailure | undefined {
  return new ReportReader().read(bytes).find((report) => report.kind === "failed");
}

/** The eight characters of TAKEN_REPORT in the place of the mode. */
const TAKEN_MODE = 0x3030303030303030;

/** One report. */
export function decodeReport(entry: DataView): LauncherReport {
  const first = Number(entry.getBigUint64(8, LITTLE_ENDIAN));
  switch (Number(entry.getBigUint64(64, LITTLE_ENDIAN))) {
    case ENTRY_MODE.failed:
      return { kind: "failed", step: Number(entry.getBigUint64(80, LITTLE_ENDIAN)), errno: first };
    case ENTRY_MODE.ready:
      return { kind: "ready" };
    case TAKEN_MODE:
      return { kind: "taken" };
    case ENTRY_MODE.ended:
      return {
        kind: "ended",
        end: endOfStatus(entry.getUint32(16, LITTLE_ENDIAN)),
        alone: entry.getUint32(72, LITTLE_ENDIAN) !== ENDED.withOthers,
        clean: entry.getUint32(72, LITTLE_ENDIAN) === ENDED.clean,
        taken: entry.getUint32(72, LITTLE_ENDIAN) !== ENDED.untaken,
      };
    case ENTRY_MODE.fork:
      return { kind: "forked", by: "entrance", pid: first };
    default:
      return { kind: "forked", by: "parent of the command", pid: first };
  }
}

/** errno values that users may meet here (asm-generic/errno-base.h, errno.h). */
const ERRNO: Readonly<Record<number, string>> = {
  1: "operation not permitted",
  2: "not found",
  7: "argument list too long (E2BIG), or more nested sandboxes than the kernel allows",
  8: "not a program this machine can run (a script without a #! line?)",
  11: "the limit of processes is reached",
  12: "out of memory",
  13: "permission denied: not executable, or not readable inside the sandbox",
  16: "busy",
  20: "not a directory",
  22: "invalid argument",
  24: "too many open files",
  26: "it is open for writing in some process",
  28: "no space left: a limit of namespaces or disk is reached",
  38: "the kernel does not have it",
  40: "too many symbolic links",
  [MISMATCH_ERRNO]: "it has changed since the session began",
};

/** Whether a step before the start of the program failed: the command is then not at fault. */
export function isLaunchFault(report: { readonly step: number }, steps: readonly string[]): boolean {
  return steps[report.step]?.startsWith('start "') !== true;
}

/** Why nothing ran, for the agent. `steps` are the table's; `program` is the word of the request. */
export function describeFailure(
  report: { readonly step: number; readonly errno: number },
  steps: readonly string[],
  program: string,
): string {
  const step = steps[report.step] ?? `do step ${report.step}`;
  const reason = ERRNO[report.errno] ?? `error ${report.errno}`;
  if (step === `start "${program}"` && report.errno === 2) {
    if (program.includes("/")) {
      return `Cannot start "${program}": not found, or its interpreter (#! line) is missing`;
    }
    return `Cannot start "${program}": no such program on the PATH of commands. Install it, or give its path inside the scope`;
  }
  if (step.startsWith('start "') && report.errno === 7) {
    return `Cannot ${step}: argument list too long (E2BIG)`;
  }
  return step.startsWith('start "')
    ? `Cannot ${step}: ${reason}`
    : `Cannot start "${program}" in the sandbox: cannot ${step}: ${reason}. Nothing was run`;
}

/** How a process ended, from the status that wait4(2) gave for it. */
function endOfStatus(status: number): ProcessEnd {
  const signal = status & 0x7f;
  return signal === 0
    ? { kind: "exited", code: (status >> 8) & 0xff }
    : { kind: "signalled", signal: signalName(signal) };
}

/** How a command ended whose launcher was killed: its exit code gives the signal of its child. */
export function endOfLauncher(status: LauncherStatus | undefined, program: string): CommandEnd {
  const code = status?.code ?? 0;
  const signal = status?.signal ?? (code > 128 ? signalName(code - 128) : undefined);
  return signal === undefined
    ? { kind: "not_started", message: `Cannot start "${program}": the launcher ended with ${code}`, fault: "server" }
    : { kind: "signalled", signal };
}

/** Whether a process ended with exit code 0. */
export function isSuccess(end: ProcessEnd | undefined): boolean {
  return end?.kind === "exited" && end.code === 0;
}

/** The end of a command that did not start because a launcher step failed. */
export function endOfFailure(report: StepFailure, steps: readonly string[], program: string): CommandEnd {
  const message = describeFailure(report, steps, program);
  return { kind: "not_started", message, ...isLaunchFault(report, steps) && { fault: "server" } };
}

/** From 1 on (asm-generic/signal.h; the same numbers on both processors). */
const SIGNALS =
  ("HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN " +
    "TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS").split(" ");

/** `SIGTERM` for 15. */
export function signalName(number: number): string {
  const name = SIGNALS[number - 1];
  return name === undefined ? `signal ${number}` : `SIG${name}`;
}
