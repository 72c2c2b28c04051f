/** `logs` (V1): what an operation of a running server wrote, as far as the server keeps it, and what it writes. */
import { UsageError, UserError } from "../../../base/errors.ts";
import { duration } from "../../../base/time.ts";
import { ServerLine } from "../../../control/client/server_line.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { printProblem } from "../../terminal/print.ts";
import { recordedOutput } from "./shown_output.ts";
import { findOperation, openStreams } from "./your_servers.ts";

/** Resolves with the exit code. @throws {UsageError} When the words are wrong, {UserError} when there is no such operation. */
export async function logs({ operands, flags, environment, stop }: CommandContext): Promise<number> {
  const [name] = operands;
  if (name === undefined) throw new UsageError("Cannot print output: name an operation. See ahma_mcp ps");
  using streams = openStreams("print output");
  const { found: { entry }, operation } = await findOperation(streams, environment, {
    name,
    what: "print the output of",
  });
  const refuse = (why: string) => new UserError(`Cannot print the output of "${name}": ${why}`);
  using line = await ServerLine.open(streams, entry);
  if (line === undefined) throw refuse("its server has just ended");
  stop.addEventListener("abort", () => line[Symbol.dispose](), { once: true });
  const isFollowed = flags.has("follow");
  await line.request({ request: "output", operation: operation.id, ...isFollowed && { follow: true } });
  const output = recordedOutput({ hasTerminal: operation.terminal === true });
  let end: string | undefined;
  for await (const event of line.events) {
    if (event.event === "refused") throw refuse(event.problem);
    if (event.event === "gap") await printProblem(`[${event.bytes} bytes are no longer kept]`);
    if (event.event === "end") end = event.line;
    // The reader has closed the pipe.
    if (event.event === "output" && !await output.output(Uint8Array.fromBase64(event.data))) return 0;
  }
  await output.end();
  if (stop.aborted) return 0;
  if (end === undefined && isFollowed) throw refuse("its server has ended");
  const state = `[${operation.id} ${operation.state} for ${duration(operation.elapsedMs)}; --follow waits for its end]`;
  await printProblem(end ?? state);
  return 0;
}
