/** From a leaf and its arguments to something that may run: checked, inside the scope, nothing started yet (T6, T9, S16). */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { shorten } from "../../base/visible_text.ts";
import type { Scope } from "../../system/path_scope.ts";
import type { Leaf } from "../../catalog/model/leaf.ts";
import { checkArguments, type CheckedArguments, describeArgumentProblems } from "../../command/arguments.ts";
import { prepareCommand } from "../../command/command_line.ts";
import type { PreparedCommand } from "../../command/prepared_command.ts";

/** A call whose arguments are valid. */
export interface CheckedCall {
  readonly checked: CheckedArguments;
  /** Real, inside the scope. */
  readonly directory: string;
}

/** Checks the arguments and finds the working directory; the problem is the text of the result. */
export async function checkCall(leaf: Leaf, args: unknown, scope: Scope): Promise<Outcome<CheckedCall>> {
  const checked = checkArguments(leaf, args);
  if (!checked.ok) return failure(describeArgumentProblems(leaf, checked.problem));
  const directory = await scope.resolveDirectory(checked.value.meta.workingDirectory);
  if (!directory.ok) return directory;
  return success({ checked: checked.value, directory: directory.value });
}

/** The command of a checked call (not of a sequence), its paths inside the scope. */
export async function prepareCall(leaf: Leaf, call: CheckedCall, scope: Scope): Promise<Outcome<PreparedCommand>> {
  const prepared = prepareCommand(leaf, call.checked);
  for (const { argument, value } of prepared.paths) {
    const contained = await scope.contains(value, call.directory);
    if (!contained.ok) return failure(`Cannot run "${leaf.name}": argument "${argument}": ${contained.problem}`);
  }
  return success(prepared);
}

/** The command as one line, for people: words with blanks are quoted, it is cut at 200 characters. */
export function titleOf(prepared: PreparedCommand): string {
  const words = prepared.argv.map((word) => typeof word === "string" ? quoted(word) : "<file>");
  return shorten(words.join(" "));
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`;
}
