import type { OperationEnd } from "../../../operation/operation.ts";

/** As `timeout` does it (coreutils). */
const TIMED_OUT = 124;
/** As shells do it for SIGINT. */
const CANCELLED = 130;
const NOT_STARTED = 1;

/** The exit code that tells a shell how an operation ended (requirement L5): the command's own, where it has one. */
export async function exitCodeOf(end: OperationEnd | undefined): Promise<number> {
  if (end?.state === "timed_out") return TIMED_OUT;
  if (end?.state === "cancelled") return CANCELLED;
  const command = end?.command;
  if (command?.kind === "exited") return command.code;
  if (command?.kind !== "signalled") return NOT_STARTED;
  const { constants } = await import("node:os");
  const numbers: Readonly<Record<string, number>> = { ...constants.signals };
  return 128 + (numbers[command.signal] ?? 0);
}
