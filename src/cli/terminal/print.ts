/** Output for a person on a terminal, only in runs that never speak MCP, such as `--help` (requirement C2). */

import type { CallToolResult } from "@modelcontextprotocol/server";
import { encodeText } from "../../base/text.ts";
import { FULL_PIPE_RETRY_MS, writeAll } from "../../base/write_all.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import { messageText, TerminalFilter } from "./terminal_text.ts";

/** Writes an answer to stdout; a closed pipe (`| head`) is not an error. */
export async function print(text: string): Promise<void> {
  await ignoringGoneReader(() => writeAll(Deno.stdout, encodeText(messageText(text))));
}

/** Writes a message to stderr; a closed pipe is not an error. */
export async function printProblem(text: string): Promise<void> {
  await ignoringGoneReader(() => writeAll(Deno.stderr, encodeText(`${messageText(text)}\n`)));
}

/** Writes each of them to stderr; resolves with the exit code: 1 where there is one. */
export async function printProblems(problems: readonly string[]): Promise<number> {
  for (const problem of problems) await printProblem(problem);
  return problems.length > 0 ? 1 : 0;
}

/** A command's output on stdout. */
interface CommandPrinter {
  /** Returns when written, so that a flood waits for its reader; false: the pipe is closed, or there is a problem. */
  readonly write: (chunk: Uint8Array) => boolean;
  /** Why some of it could not be written, such as a full disk. */
  readonly problem: () => string | undefined;
  /** Ends the output. */
  readonly end: () => void;
}

/** Prints to a file or a pipe unchanged, and to a terminal with colours as the only control sequences. */
export function commandPrinter(): CommandPrinter {
  let problem: string | undefined;
  const write = (bytes: Uint8Array) => {
    try {
      return writeNow(bytes);
    } catch (thrown) {
      problem = messageOf(thrown);
      return false;
    }
  };
  if (!Deno.stdout.isTerminal()) return { write, end: () => {}, problem: () => problem };
  const filter = new TerminalFilter();
  return {
    write: (chunk) => write(filter.push(chunk)),
    end: () => void write(filter.end()),
    problem: () => problem,
  };
}

function writeNow(bytes: Uint8Array): boolean {
  let rest = bytes;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(Deno.stdout.writeSync(rest));
    } catch (thrown) {
      if (isGoneReader(thrown)) return false;
      if (!(thrown instanceof Deno.errors.WouldBlock)) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_RETRY_MS);
    }
  }
  return true;
}

/** Writes bytes to stdout as they are; false: the pipe is closed. */
export async function printBytes(bytes: Uint8Array): Promise<boolean> {
  try {
    await writeAll(Deno.stdout, bytes);
    return true;
  } catch (thrown) {
    if (isGoneReader(thrown)) return false;
    throw new UserError(`Cannot write the output: ${messageOf(thrown)}`);
  }
}

/** Whether stdout is a terminal. */
export function isOnTerminal(): boolean {
  return Deno.stdout.isTerminal();
}

/** Whether answers on stdout may be coloured: on a terminal, unless `NO_COLOR` is set. */
export function mayColour(environment: Readonly<Record<string, string>>): boolean {
  return Deno.stdout.isTerminal() && (environment["NO_COLOR"] ?? "") === "";
}

/** The answer to a question of yes or no; undefined: there is no terminal to ask on. */
export function askOnTerminal(question: string): boolean | undefined {
  return Deno.stdin.isTerminal() && Deno.stdout.isTerminal() ? confirm(question) : undefined;
}

/** Whether a person says yes. @throws {UserError} When there is no terminal to ask on. */
export function confirmPutBack(): boolean {
  const answer = askOnTerminal("Put it back?");
  if (answer === undefined) throw new UserError("Cannot ask without a terminal: give --yes to put it back");
  return answer;
}

/** The text of a result of a tool. */
export function resultText({ content }: CallToolResult): string {
  return content.map((block) => block.type === "text" ? block.text : "").join("\n");
}

/** Prints the text of a result, on stderr where it is an error. */
export async function printResult(result: CallToolResult): Promise<void> {
  await (result.isError === true ? printProblem(resultText(result)) : print(`${resultText(result)}\n`));
}

/** Columns of stdout's terminal; undefined: stdout is not a terminal. */
export function terminalWidth(): number | undefined {
  if (!Deno.stdout.isTerminal()) return undefined;
  const { columns } = Deno.consoleSize();
  return columns > 0 ? columns : 80;
}

async function ignoringGoneReader(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (thrown) {
    if (isGoneReader(thrown)) return;
    throw new UserError(`Cannot write the answer: ${messageOf(thrown)}`);
  }
}

function isGoneReader(thrown: unknown): boolean {
  return thrown instanceof Deno.errors.BrokenPipe || thrown instanceof Deno.errors.BadResource;
}
