/**
 * The texts sent to a lasting shell (B5). It is interactive, so that an error abandons a line and not the shell.
 * Commands have neither its stdout nor the descriptor on which each line ends with a mark. Pure.
 */
import type { ShellLine } from "../command_runner.ts";
import { quote } from "../../base/text.ts";
import { SHELL_OUTPUT_FD } from "../shell.ts";

/** Where a line is read from. A sourced line can have any error, and the shell continues with the next. */
const LINE_FD = 58;

/** The signal that makes such a shell abandon its line as soon as the program it waits for has ended, in any way. Other programs ignore it. */
export const ABANDON_SIGNAL = "SIGURG";

/** The descriptor that the next line is read from: stdin, which is empty, where it is abandoned before it begins. */
const FROM = "ahma_line";

/**
 * Sent first. If `exec` cannot start a program, the shell stays. Outside of a line, where it has no source, the shell
 * only takes a note: an interrupt there would now and then crash it with its next line.
 */
export const OPENING = "shopt -s execfail; " +
  `trap '{ \\builtin test -z "\${BASH_SOURCE-}" && ${FROM}=0 || ` +
  "{ trap - INT; \\builtin kill -INT $$; }; } 2>/dev/null' URG\n";

/** Sent after each such signal, before another line: the note is over. */
export const NOTE_ENDS = `\\builtin unset ${FROM}\n`;

/** Sent last: the shell waits for what it started, and ends. */
export const CLOSING = "\nwait\nexit\n";

/** The bytes of the output that precede the facts of a mark. */
export function markHead(secret: string): string {
  return `\x1e${secret} `;
}

/** The longest facts of a mark: a number, an exit code and a path. */
export const LONGEST_FACTS = 8192;

/** Makes the shell run a line. */
export function lineText({ line, directory, environment }: ShellLine): string {
  const enter = directory === undefined ? "" : `\\builtin cd -- ${quote(directory)} || return 126;`;
  const exports = Object.entries(environment).map(([name, value]) => `export ${name}=${quote(value)};`).join("");
  const script = quote(`${enter}${exports}${line}`);
  const output = `</dev/null >&${SHELL_OUTPUT_FD} 2>&1 ${SHELL_OUTPUT_FD}>&-`;
  return `{ \\builtin . "/dev/fd/\${${FROM}-${LINE_FD}}" ${LINE_FD}<<<${script}; } ${output}\n`;
}

/** Writes the mark of a line, after an empty one: a syntax error discards what follows. It never holds the mark. */
export function markText(secret: string, number: number): string {
  return `\n{ \\builtin printf '\\036%s %d %d %s\\0' ${secret} ${number} "$?" "\${PWD-}"; } >&${SHELL_OUTPUT_FD}\n`;
}
