/** Warnings about common mistakes with the programs of these tables (T4), which fail at every call. */
import { type UnplacedDiagnostic, warningAt } from "../format/diagnostic.ts";
import type { ArgumentDefinition } from "../format/mtdf_argument.ts";
import { baseName, commandWords, DEFAULT_LEAF } from "../format/names.ts";

/** Interpreters take a script in place of a subcommand. */
const INTERPRETER = /^(python|python[23](\.\d+)?|node|ruby|perl)$/;
const SHELL = /^(ba|da|z|k)?sh$/;
/** Commands that exist inside a shell only: as a program of their own they have no effect, or do not start. */
const SHELL_ONLY: readonly string[] = ["cd", "export", "source", "alias", "set", "unset", "umask", "ulimit"];

const POSITIONAL = 'git takes it without a flag: move it to "positional_args"';
const NO_TERMINAL = "it asks questions on a terminal, but commands have none: remove it";
const ONE_WORD = 'its value must be in the same word: add "joined": true';

/** By command line and option: why the option fails. */
const OPTION_MISTAKES: Readonly<Record<string, string>> = {
  "git push --remote": POSITIONAL,
  "git push --branch": POSITIONAL,
  "git pull --remote": POSITIONAL,
  "git pull --branch": POSITIONAL,
  "git fetch --remote": POSITIONAL,
  "git add --patch": NO_TERMINAL,
};
/** The same for options that fail only if their value is a separate word. */
const VALUE_MISTAKES: Readonly<Record<string, string>> = {
  "sed --in-place": ONE_WORD,
  "diff --unified": noValue("U"),
  "diff --context": noValue("C"),
};

function noValue(alias: string): string {
  return `the alias takes no value: use the alias "${alias}", or "joined": true without an alias`;
}

/**
 * Warnings about the leaf at `at`.
 *
 * @param path its subcommand words; undefined where the file gives argv itself
 * @param options its options, in their order
 */
export function knownProgramDiagnostics(
  command: string,
  path: readonly string[] | undefined,
  options: readonly ArgumentDefinition[],
  at: readonly (string | number)[],
): readonly UnplacedDiagnostic[] {
  const words = commandWords(command);
  const program = baseName(words[0] ?? "");
  const subcommands = (path ?? []).filter((name) => name !== DEFAULT_LEAF);
  const isShell = words.length === 1 && SHELL.test(program);
  const message = subcommands[0] === undefined ? undefined : wordMistake(command, subcommands[0]);
  if (message !== undefined) return [warningAt([...at, "name"], message)];
  const called = [...isShell ? [] : [program], ...subcommands].join(" ");
  return options.flatMap((option, index) => {
    const mistake = optionMistake(called, option);
    if (mistake === undefined) return [];
    return [warningAt([...at, "options", index], `Option "${option.name}" does not work with ${called}: ${mistake}`)];
  });
}

function optionMistake(called: string, { name, type, joined, alias }: ArgumentDefinition): string | undefined {
  const key = `${called} --${name}`;
  if (Object.hasOwn(OPTION_MISTAKES, key)) return OPTION_MISTAKES[key];
  if (type === "boolean" || joined === true || !Object.hasOwn(VALUE_MISTAKES, key)) return undefined;
  return called === "diff" && alias === alias?.toUpperCase() ? undefined : VALUE_MISTAKES[key];
}

function wordMistake(command: string, word: string): string | undefined {
  const words = commandWords(command);
  const program = baseName(words[0] ?? "");
  if (words.length === 1 && SHELL.test(program)) {
    return SHELL_ONLY.includes(word)
      ? `"${word}" is not a program: it only exists inside a shell and has no effect here; remove it`
      : undefined;
  }
  if (words.length === 1 && INTERPRETER.test(program) && !word.startsWith("-")) {
    return `${program} has no subcommands and would take "${word}" for a file: give the words it needs in "argv"`;
  }
  if (words.length === 2 && words[1] === "-c" && SHELL.test(program)) {
    return `"${command}" takes "${word}" for the whole text of the shell and drops the arguments: ` +
      `use "command": "${words[0]}" to run the program "${word}", or give the text in "argv"`;
  }
  return undefined;
}
