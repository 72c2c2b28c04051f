import type { LeftRunning } from "../../base/command/command_end.ts";

/** The line of a result about background children that were ended with their command (X17). */
export function leftSentence({ commands, more }: LeftRunning): string {
  const others = more === 0 ? "" : ` and ${more} more`;
  return `Ended with the command: ${commands.join("; ")}${others}. Start such a program as a call of its own.`;
}
