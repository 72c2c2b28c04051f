/** `attach` (X24): a person's terminal, or a pipe, is joined to a running operation of any server of that user. */
import { UsageError, UserError } from "../../../base/errors.ts";
import { findServers } from "../../../control/client/running_servers.ts";
import { ServerLine } from "../../../control/client/server_line.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { openStreams } from "./your_servers.ts";
import { AttachedTerminal, windowSize } from "./attached_terminal.ts";
import { chooseTarget, whatRuns } from "./choose_target.ts";

/** Exit code, once the operation ended or the person left. @throws {UserError} with nothing to attach to */
export async function attach({ operands, environment, stop }: CommandContext): Promise<number> {
  using streams = openStreams("attach");
  const { servers, problems } = await findServers(streams, environment);
  const [name] = operands;
  const others = problems.map((problem) => `\n${problem}`).join("");
  if (name === undefined) {
    throw new UsageError(`Cannot attach: name an operation or a session. ${whatRuns(servers)}${others}`);
  }
  const refuse = (why: string) => new UserError(`Cannot attach to "${name}": ${why}${others}`);
  const chosen = chooseTarget(servers, name);
  if (!chosen.ok) throw refuse(chosen.problem);
  using line = await ServerLine.open(streams, chosen.value.entry);
  if (line === undefined) throw refuse("its server has just ended");
  using terminal = new AttachedTerminal(line, { name, stop });
  const size = terminal.isInteractive ? windowSize() : undefined;
  await line.request({ request: "attach", target: name, ...size !== undefined && { size } });
  return await terminal.show(refuse);
}
