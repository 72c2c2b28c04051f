/** What a command left running: the names of its children, for a result (X17). */
import type { LeftRunning } from "../base/command/command_end.ts";
import { visibleText } from "../base/visible_text.ts";
import { isOwnShell } from "./shell.ts";

/** How many are named; further ones are only counted. */
const MOST_NAMED = 3;
/** In characters. */
const LONGEST_NAME = 80;

/** The system calls that this needs. */
export interface ProcessNames {
  /** Zombies included. */
  childrenOf(pid: number): readonly number[];
  /** The command line, each word ended by NUL; empty for a zombie, undefined when it is gone. */
  commandLineOf(pid: number): string | undefined;
}

/** The living children of `parent`; undefined: there are none. Their names are foreign text, so they are cleaned and cut. */
export function leftRunning(parent: number, processes: ProcessNames): LeftRunning | undefined {
  return living(processes.childrenOf(parent), processes);
}

/** The living processes of `pids`, by name; undefined: none lives. */
export function living(
  pids: readonly number[],
  processes: Pick<ProcessNames, "commandLineOf">,
): LeftRunning | undefined {
  const lines = pids.map((pid) => processes.commandLineOf(pid) ?? "").filter((one) => one !== "");
  if (lines.length === 0) return undefined;
  return { commands: lines.slice(0, MOST_NAMED).map(shown), more: Math.max(0, lines.length - MOST_NAMED) };
}

/** A child that runs a part of the line has the command line of its shell, which tells the agent nothing. */
function shown(commandLine: string): string {
  if (isOwnShell(commandLine.split("\0"))) return "a background part of the line";
  const words = visibleText(commandLine.slice(0, 4 * LONGEST_NAME).replaceAll("\0", " ")).replaceAll(/\s+/g, " ")
    .trim();
  return words.length <= LONGEST_NAME ? words : `${words.slice(0, LONGEST_NAME)}...`;
}
