import type { CommandEnd } from "../base/command/command_end.ts";
import type { CommandInput } from "../base/command/running_command.ts";
import { ignoreClosedPipe } from "../base/errors.ts";
import { encodeText } from "../base/text.ts";
import { withTimeout } from "../base/time.ts";
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
  let isStuck = false;
  const write = async (bytes: Uint8Array) => {
    if (isStuck) throw new Error("The program has not read what it was given before");
    isStuck = true;
    const taken = writer.write(bytes).then(() => {
      isStuck = false;
      return true;
    });
    if (await withTimeout(taken, PATIENCE_MS) === undefined) throw new Error("The program does not read its input");
  };
  const close = async () => void await withTimeout(writer.close().catch(ignoreClosedPipe), PATIENCE_MS);
  const end = run({ write, close });
  if (text !== undefined) void writer.write(encodeText(text)).catch(ignoreClosedPipe);
  const ended = await end;
  void writer.abort().catch(ignoreClosedPipe);
  return ended;
}

/** A program that reads nothing for so long takes no input, milliseconds. */
const PATIENCE_MS = 2_000;
