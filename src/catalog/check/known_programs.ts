/**
 * Warnings about subcommands that shells and interpreters do not have (T4): such a leaf loads, and then fails at every
 * call.
 */
import { type UnplacedDiagnostic, warningAt } from "../format/diagnostic.ts";
import { baseName, commandWords, DEFAULT_LEAF } from "../format/names.ts";

/** Interpreters take a script where a subcommand would stand. */
const INTERPRETER = /^(python|python[23](\.\d+)?|node|ruby|perl)$/;
const SHELL = /^(ba|da|z|k)?sh$/;
/** Commands that exist inside a shell only: as a program of their own they have no effect, or do not start. */
const SHELL_ONLY: readonly string[] = ["cd", "export", "source", "alias", "set", "unset", "umask", "ulimit"];

/** Warnings about the leaf at `at`; `path`: its subcommand words. */
export function knownProgramDiagnostics(
  command: string,
  path: readonly string[],
  at: readonly (string | number)[],
): readonly UnplacedDiagnostic[] {
  const word = path.find((name) => name !== DEFAULT_LEAF);
  const message = word === undefined ? undefined : wordMistake(command, word);
  return message === undefined ? [] : [warningAt([...at, "name"], message)];
}

function wordMistake(command: string, word: string): string | undefined {
  const [first = "", option, ...more] = commandWords(command);
  const program = baseName(first);
  if (option === undefined && SHELL.test(program)) {
    return SHELL_ONLY.includes(word)
      ? `"${word}" is no program: it only exists inside a shell and has no effect here; remove it`
      : undefined;
  }
  if (option === undefined && INTERPRETER.test(program) && !word.startsWith("-")) {
    return `${program} has no subcommands and would take "${word}" for a file: give the words it needs in "argv"`;
  }
  if (option === "-c" && more.length === 0 && SHELL.test(program)) {
    return `"${command}" takes "${word}" for the whole text of the shell and drops the arguments: ` +
      `use "command": "${first}" to run the program "${word}", or give the text in "argv"`;
  }
  return undefined;
}
