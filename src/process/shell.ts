/** How each shell is asked to run a line (P2). No profile or start-up file is ever read. */
import { TAKEN_FD, TAKEN_REPORT } from "../sandbox/launcher/image/interpreter.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import { quote } from "../base/text.ts";
import { expected } from "../system/paths.ts";

/** A shell and what it can do for us. */
export interface Shell {
  /** Absolute path. */
  readonly path: string;
  readonly name: string;
  /** Whether it can wait for its line on stdin (bash only): then it can be started ahead of need. */
  readonly canWait: boolean;
}

const CANDIDATES = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/bin/sh"] as const;

/** The shell of `--shell`, else bash, else sh. */
export function chooseShell(wanted: string | undefined, path: readonly string[]): Outcome<Shell> {
  const candidates = wanted === undefined
    ? CANDIDATES
    : wanted.includes("/")
    ? [wanted]
    : path.map((directory) => `${directory}/${wanted}`);
  const found = candidates.find((path) => expected(() => Deno.statSync(path).isFile) === true);
  if (found === undefined) {
    return failure(
      wanted === undefined
        ? "Cannot find a shell: neither bash nor /bin/sh exists"
        : `Cannot find the shell "${wanted}": give the path of bash, zsh or sh`,
    );
  }
  const name = found.slice(found.lastIndexOf("/") + 1);
  return success({ path: found, name, canWait: name === "bash" });
}

/** How a bash is started that reads no profile and no start-up file. */
const NO_START_FILES = ["--noprofile", "--norc"] as const;
const BASH_FLAGS = [...NO_START_FILES, "-c"] as const;

/** Whether a process with these words is a bash that was started for a line, or a part of one. */
export function isOwnShell(words: readonly string[]): boolean {
  return NO_START_FILES.every((flag, index) => words[index + 1] === flag);
}

/** argv that runs `line` at once. */
export function lineArguments(shell: Shell, line: string): readonly string[] {
  switch (shell.name) {
    case "bash":
      return ["bash", ...BASH_FLAGS, line];
    case "zsh":
      return ["zsh", "-f", "-c", line];
    default:
      return [shell.name, "-c", line];
  }
}

/** argv of a bash that waits for one line on stdin, ended by NUL. It reports that it has the line, then runs it. */
export function prewarmedArguments(shell: Shell): readonly string[] {
  const taken = `printf ${TAKEN_REPORT} >&${TAKEN_FD}; exec ${TAKEN_FD}>&- </dev/null`;
  const loop = `IFS= read -r -d '' ${LINE} || exit 0; ${taken}; eval "$${LINE}"`;
  return [shell.name, ...BASH_FLAGS, loop];
}

/** As `prewarmedArguments`, for a shell whose launcher reports its end. */
export function servingArguments(shell: Shell): readonly string[] {
  return [shell.name, ...BASH_FLAGS, `IFS= read -r -d '' ${LINE} || exit 0; exec </dev/null; eval "$${LINE}"`];
}

/** argv of a bash that forks for each line; the line would be its last. */
export function forkingArguments(): readonly string[] {
  return ["bash", ...BASH_FLAGS];
}

/** argv of a lasting bash without a terminal, for one line after another. @throws {Error} When it is not bash. */
export function openShellArguments({ path, name }: Shell): readonly string[] {
  if (name !== "bash") throw new Error(`A session needs bash, and commands run with "${name}" here`);
  const quiet = `exec ${SHELL_OUTPUT_FD}>&1 >/dev/null 2>&1`;
  const interactive = `exec -a bash "$BASH" ${NO_START_FILES.join(" ")} --noediting +H +o history -i`;
  return [path, ...BASH_FLAGS, `${quiet}; ${interactive}`];
}

/** The descriptor of a lasting shell's output, in the shell only: bash closes it in what it starts. */
export const SHELL_OUTPUT_FD = 59;

/** The variable the line waits in; it is gone when the line runs. */
const LINE = "ahma_line";

/** The text for a prewarmed shell. It is one line, so that line numbers in messages are the user's. */
export function encodeShellCommand(
  line: string,
  directory: string,
  environment: Readonly<Record<string, string>>,
): string {
  const enter = `cd -- ${quote(directory)}||exit 126;unset OLDPWD;`;
  return `unset ${LINE};${enter}${exportsOf(environment)}${line}\0`;
}

/** Sets variables, as the beginning of a line. */
export function exportsOf(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment).map(([name, value]) => `export ${name}=${quote(value)};`).join("");
}
