import type { CommandEnd } from "../../../base/command/command_end.ts";
import type { OperationEnd } from "../../../operation/operation.ts";

/** As `timeout` does it (coreutils). */
const TIMED_OUT = 124;
/** As shells do it for SIGINT. */
const CANCELLED = 130;
const NOT_STARTED = 1;

/** The exit code that tells a shell how an operation ended (requirement L5): the command's own, where it has one. */
export async function exitCodeOf(end: OperationEnd | undefined): Promise<number> {
  switch (end?.state) {
    case undefined:
      return NOT_STARTED;
    case "timed_out":
      return TIMED_OUT;
    case "cancelled":
      return CANCELLED;
    case "completed":
    case "failed":
      return await commandExitCode(end.command);
  }
}

async function commandExitCode(command: CommandEnd | undefined): Promise<number> {
  switch (command?.kind) {
    case undefined:
    case "not_started":
      return NOT_STARTED;
    case "exited":
      return command.code;
    case "signalled": {
      const { constants } = await import("node:os");
      const numbers: Readonly<Record<string, number>> = { ...constants.signals };
      return 128 + (numbers[command.signal] ?? 0);
    }
  }
}
