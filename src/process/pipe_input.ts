import type { CommandEnd } from "../base/command/command_end.ts";
import type { CommandInput } from "../base/command/running_command.ts";
import { ignoreClosedPipe } from "../base/errors.ts";
import { encodeText } from "../base/text.ts";
import { withTimeout } from "../base/time.ts";
import type { LauncherProcess } from "./spawn.ts";

/** Runs a command whose stdin stays open until its end. `text`: the first input; undefined: none. */
export async function withOpenInput(
  process: Pick<LauncherProcess, "stdin">,
  text: string | undefined,
  run: (input: CommandInput) => Promise<CommandEnd>,
): Promise<CommandEnd> {
  const writer = process.stdin.getWriter();
  let isStuck = false;
  const write = async (bytes: Uint8Array) => {
    if (isStuck) throw new Error("Its program has not read what was sent before");
    isStuck = true;
    const taken = writer.write(bytes).then(() => true, closedInput).finally(() => isStuck = false);
    if (await withTimeout(taken, PATIENCE_MS) === true) return;
    throw new Error("Its program does not read its input; what was sent waits there");
  };
  const close = async () => void await withTimeout(writer.close().catch(ignoreClosedPipe), PATIENCE_MS);
  const end = run({ write, close });
  if (text !== undefined) void writer.write(encodeText(text)).catch(ignoreClosedPipe);
  const ended = await end;
  void writer.abort().catch(ignoreClosedPipe);
  return ended;
}

function closedInput(thrown: unknown): never {
  ignoreClosedPipe(thrown);
  throw new Error("Its program has closed its input");
}

/** A program that reads nothing for this long does not accept input, milliseconds. */
const PATIENCE_MS = 2_000;
