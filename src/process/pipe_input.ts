import type { CommandEnd } from "../base/command/command_end.ts";
import type { CommandInput } from "../base/command/running_command.ts";
import { ignoreClosedPipe } from "../base/errors.ts";
import { encodeText } from "../base/text.ts";
import type { LauncherProcess } from "./spawn.ts";

/**
 * Runs a command whose stdin stays open until its end. `text`: what it begins with; undefined: nothing. `run`: follows the
 * command, which has this input, to its end.
 */
export async function withOpenInput(
  process: Pick<LauncherProcess, "stdin">,
  text: string | undefined,
  run: (input: CommandInput) => Promise<CommandEnd>,
): Promise<CommandEnd> {
  const writer = process.stdin.getWriter();
  const write = (bytes: Uint8Array) => writer.write(bytes);
  const close = () => writer.close().catch(ignoreClosedPipe);
  const end = run({ write, close });
  if (text !== undefined) void write(encodeText(text)).catch(ignoreClosedPipe);
  const ended = await end;
  await close();
  return ended;
}
