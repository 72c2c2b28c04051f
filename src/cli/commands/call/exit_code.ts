import type { CommandEnd } from "../../../base/command/command_end.ts";
import type { OperationEnd } from "../../../operation/operation.ts";

/** As `timeout` does it (coreutils). */
const TIMED_OUT = 124;
/** As shells do it for SIGINT. */
const CANCELLED = 130;
const NOT_STARTED = 1;

/** Common signals by number (signal(7)). */
const SIGNAL_NUMBERS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
};

/** The exit code that tells a shell how an operation ended (requirement L5): the command's own, where it has one. */
export function exitCodeOf(end: OperationEnd | undefined): number {
  switch (end?.state) {
    case undefined:
      return NOT_STARTED;
    case "timed_out":
      return TIMED_OUT;
    case "cancelled":
      return CANCELLED;
    case "completed":
    case "failed":
      return commandExitCode(end.command);
  }
}

function commandExitCode(command: CommandEnd | undefined): number {
  switch (command?.kind) {
    case undefined:
    case "not_started":
      return NOT_STARTED;
    case "exited":
      return command.code;
    case "signalled":
      return 128 + (SIGNAL_NUMBERS[command.signal] ?? 0);
  }
}
