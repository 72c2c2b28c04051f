/** Meta-parameters: the parts of a call that control its run (T6, X15). */
import { EXECUTION_MODES, LONGEST_TIMEOUT_SECONDS } from "../catalog/model/meta_parameters.ts";
import { shown } from "../catalog/model/value.ts";
import type { ArgumentProblem, MetaArguments } from "./prepared_command.ts";

/** The parts of a call other than its declared arguments. */
export interface MetaParts {
  /** Raw further argv; empty when the call gives none. */
  readonly extra: readonly string[];
  /** Undefined: empty. */
  readonly stdin: string | undefined;
  readonly meta: MetaArguments;
}

const EXPECTED_MODES = `one of ${EXECUTION_MODES.map(shown).join(", ")}`;

/** Reads the meta-parameters named in `accepted`, and adds problems to `problems`. */
export function readMeta(
  given: ReadonlyMap<string, unknown>,
  accepted: ReadonlyMap<string, unknown>,
  problems: ArgumentProblem[],
): MetaParts {
  const read = <Value>(name: string, isValid: (value: unknown) => value is Value, expected: string) => {
    if (!accepted.has(name) || !given.has(name)) return undefined;
    const value = given.get(name);
    if (isValid(value)) return value;
    problems.push({ argument: name, message: `Argument "${name}" is ${shown(value)}, expected ${expected}` });
    return undefined;
  };
  return {
    extra: read("args", isWords, "a list of texts without NUL") ?? [],
    stdin: read("stdin", isText, "a text"),
    meta: {
      workingDirectory: read("working_directory", isDirectory, "the path of a directory"),
      timeoutSeconds: read(
        "timeout_seconds",
        isTimeout,
        `a number of seconds above 0, at most ${LONGEST_TIMEOUT_SECONDS} (not in quotes)`,
      ),
      executionMode: read("execution_mode", isMode, EXPECTED_MODES),
    },
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed();
}

function isWord(value: unknown): value is string {
  return isText(value) && !value.includes("\0");
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isWord);
}

function isDirectory(value: unknown): value is string {
  return isWord(value) && value !== "";
}

function isTimeout(value: unknown): value is number {
  return typeof value === "number" && value > 0 && value <= LONGEST_TIMEOUT_SECONDS;
}

function isMode(value: unknown): value is typeof EXECUTION_MODES[number] {
  return EXECUTION_MODES.some((mode) => mode === value);
}
