/** `kill` (V1): ends operations of running servers with all their processes. */
import { messageOf, UsageError, UserError } from "../../../base/errors.ts";
import { aborted } from "../../../base/time.ts";
import { ServerLine } from "../../../control/client/server_line.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { print, printProblem } from "../../terminal/print.ts";
import { describe } from "./choose_operation.ts";
import { findOperation, openStreams } from "./your_servers.ts";

/** Resolves with the exit code; 1: one of them was not ended. @throws {UsageError} When none is named. */
export async function kill(context: CommandContext): Promise<number> {
  const { operands } = context;
  if (operands.length === 0) throw new UsageError("Cannot end an operation: name one. See ahma_mcp ps");
  let code = 0;
  for (const name of new Set(operands)) {
    try {
      await print(`${await end(name, context)}\n`);
    } catch (thrown) {
      if (!(thrown instanceof UserError)) throw thrown;
      await printProblem(messageOf(thrown));
      code = 1;
    }
  }
  return code;
}

/** What was ended, and how. @throws {UserError} When nothing was. */
async function end(name: string, { environment, stop }: CommandContext): Promise<string> {
  using streams = openStreams("end operations");
  const { found: { entry }, operation } = await findOperation(streams, environment, { name, what: "end" });
  const refuse = (why: string) => new UserError(`Cannot end "${name}": ${why}`);
  using line = await ServerLine.open(streams, entry);
  if (line === undefined) throw refuse("its server has just ended");
  await line.request({ request: "kill", operation: operation.id });
  const answer = await Promise.race([line.events.next(), aborted(stop)]);
  const event = answer?.value;
  if (stop.aborted) throw refuse("the answer was not waited for; it is being ended");
  if (event?.event === "refused") throw refuse(event.problem);
  if (event?.event !== "end") throw refuse("its server has just ended");
  const isOurs = (event.end?.state ?? "cancelled") === "cancelled";
  const { id, usage } = operation;
  const processes = usage === undefined
    ? ""
    : ` with its ${usage.processes === 1 ? "process" : `${usage.processes} processes`}`;
  return `${isOurs ? `Ended ${id}${processes}` : `${id} ended by itself`}: ${describe(operation)}\n${event.line}`;
}
