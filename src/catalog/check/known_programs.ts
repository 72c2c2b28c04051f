/**
 * Mistakes that real tool files make about well-known programs: such a leaf loads and then fails on every call, so its
 * author is told beforehand. One table; a program that is not in it is believed.
 */
import { type UnplacedDiagnostic, warningAt } from "../format/diagnostic.ts";
import type { SubcommandDefinition, ToolDefinition } from "../format/mtdf.ts";
import type { ArgumentDefinition } from "../format/mtdf_argument.ts";
import { baseName, commandWords, DEFAULT_LEAF } from "../format/names.ts";

/** Interpreters take a script where a subcommand would stand. */
const WITHOUT_SUBCOMMANDS = /^(python|python[23](\.\d+)?|node|ruby|perl|bash|sh)$/;
const SHELL = /^(ba|da|z|k)?sh$/;
/** Commands that exist inside a shell only: alone they change nothing or do not start. */
const SHELL_ONLY: readonly string[] = ["cd", "export", "source", "alias", "set", "unset", "umask", "ulimit"];

interface OptionMistake {
  readonly program: string;
  readonly option: string;
  readonly applies?: (option: ArgumentDefinition) => boolean;
  readonly message: string;
}

function valued(option: ArgumentDefinition): boolean {
  return option.type !== "boolean" && option.joined !== true;
}

function lowerCase(option: ArgumentDefinition): boolean {
  return valued(option) && option.alias !== option.alias?.toUpperCase();
}

const POSITIONAL = 'git takes it without a flag: move it to "positional_args"';
const OPTION_MISTAKES: readonly OptionMistake[] = [
  { program: "git push", option: "remote", message: POSITIONAL },
  { program: "git push", option: "branch", message: POSITIONAL },
  { program: "git pull", option: "remote", message: POSITIONAL },
  { program: "git pull", option: "branch", message: POSITIONAL },
  { program: "git fetch", option: "remote", message: POSITIONAL },
  {
    program: "git add",
    option: "patch",
    message: "it asks questions on a terminal, and there is none: remove it",
  },
  {
    program: "sed",
    option: "in-place",
    applies: valued,
    message: 'its value must be in the same word: add "joined": true',
  },
  {
    program: "diff",
    option: "unified",
    applies: lowerCase,
    message: 'the alias takes no value: use the alias "U", or "joined": true without an alias',
  },
  {
    program: "diff",
    option: "context",
    applies: lowerCase,
    message: 'the alias takes no value: use the alias "C", or "joined": true without an alias',
  },
];

/** Warnings about one leaf; `path` is undefined where the file gives the argv words itself. */
export function knownProgramDiagnostics(
  tool: ToolDefinition,
  leaf: ToolDefinition | SubcommandDefinition,
  path: readonly string[] | undefined,
  at: readonly (string | number)[],
): readonly UnplacedDiagnostic[] {
  const words = commandWords(tool.command);
  const program = baseName(words[0] ?? "");
  const subcommands = (path ?? []).filter((name) => name !== DEFAULT_LEAF);
  const first = subcommands[0];
  const isShell = SHELL.test(program) && words.length === 1;
  if (first !== undefined && !first.startsWith("-") && words.length === 1 && !isShell) {
    if (WITHOUT_SUBCOMMANDS.test(program)) return [warningAt([...at, "name"], noSubcommands(program, first))];
  }
  if (isShell && first !== undefined && SHELL_ONLY.includes(first)) {
    const message = `"${first}" is no program: it only exists inside a shell and has no effect here; remove it`;
    return [warningAt([...at, "name"], message)];
  }
  if (first !== undefined && words.length === 2 && words[1] === "-c" && SHELL.test(program)) {
    return [warningAt([...at, "name"], onlyText(tool.command, first))];
  }
  const called = isShell ? subcommands.join(" ") : [program, ...subcommands].join(" ");
  return (leaf.options ?? []).flatMap((option, index) => {
    const mistake = OPTION_MISTAKES.find((one) =>
      one.program === called && one.option === option.name && (one.applies?.(option) ?? true)
    );
    if (mistake === undefined) return [];
    const message = `Option "${option.name}" does not work with ${called}: ${mistake.message}`;
    return [warningAt([...at, "options", index], message)];
  });
}

function onlyText(command: string, word: string): string {
  return `"${command}" takes "${word}" for the whole text of the shell and drops the arguments: ` +
    `use "command": "${command.trim().split(/\s/)[0]}" to run the program "${word}", or give the text in "argv"`;
}

function noSubcommands(program: string, word: string): string {
  return `${program} has no subcommands and would take "${word}" for a file: give the words it needs in "argv"`;
}
